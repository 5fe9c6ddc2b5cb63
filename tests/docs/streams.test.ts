import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownIn } from './shown.ts'
import { writePage } from './write-page.ts'

const PAGE = 'docs/guide/streams.md'

describe('the page of streams', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp((await writePage(PAGE)).path)
  })
  afterAll(() => app?.close())

  it('counts as it shows', async () => {
    const chunks = await app.agent('count').collect({ to: 3 })
    expect(chunks.map((chunk) => JSON.stringify(chunk)).join('\n')).toBe(shownIn(PAGE)[0])
  })

  it('counts in server-sent events where they are asked for', async () => {
    const headers = { accept: 'text/event-stream' }
    expect(await app.call('POST /agent/count', { to: 1 }, { headers })).toEqual([{ n: 1 }])
  })

  it('sends text as it is, which splits at line breaks', async () => {
    expect(await app.call('GET /api/poem')).toEqual(['Tea is hot.', 'Ice is cold.'])
  })
})
