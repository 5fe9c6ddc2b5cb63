import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownIn } from './shown.ts'
import { writePage } from './write-page.ts'

const PAGE = 'docs/guide/streams.md'

describe('docs/guide/streams.md', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await testApp((await writePage(PAGE)).path)
  })
  afterAll(() => app?.close())

  it('shows the output of the count agent', async () => {
    const chunks = await app.agent('count').collect({ to: 3 })
    expect(chunks.map((chunk) => JSON.stringify(chunk)).join('\n')).toBe(shownIn(PAGE)[0])
  })

  it('streams server-sent events if the client accepts them', async () => {
    const headers = { accept: 'text/event-stream' }
    expect(await app.call('POST /agent/count', { to: 1 }, { headers })).toEqual([{ n: 1 }])
  })

  it('streams plain text, which is split at line breaks', async () => {
    expect(await app.call('GET /api/poem')).toEqual(['Tea is hot.', 'Ice is cold.'])
  })
})
