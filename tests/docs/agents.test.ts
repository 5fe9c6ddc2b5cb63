import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownIn } from './shown.ts'
import { writePage } from './write-page.ts'

const PAGE = 'docs/guide/agents.md'

describe('docs/guide/agents.md', () => {
  let app: TestApp
  let ada: TestApp
  beforeAll(async () => {
    app = await testApp((await writePage(PAGE)).path)
    ada = app.as({ name: 'Ada' })
  })
  afterAll(() => app?.close())

  it('shows an agent that echoes its input', async () => {
    expect(JSON.stringify(await ada.agent('echo').call({ a: 1 }), null, 2)).toBe(shownIn(PAGE)[0])
  })

  it('shows an agent that translates known words and returns 404 for others', async () => {
    expect(await ada.agent('translate').call({ word: 'Tea' })).toEqual({ german: 'Tee' })
    await expect(ada.agent('translate').call({ word: 'milk' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
    })
  })

  it('shows the error for invalid input, and unknown fields are rejected', async () => {
    const { error } = JSON.parse(shownIn(PAGE)[1] ?? '') as { error: object }
    await expect(ada.agent('translate').call({ word: ' ' })).rejects.toMatchObject(error)
    await expect(ada.agent('translate').call({ word: 'tea', to: 'fr' })).rejects.toMatchObject({
      details: [{ code: 'UNKNOWN_FIELD', pointer: '/to' }],
    })
  })

  it('shows an agent that calls other agents', async () => {
    expect(await ada.agent('digest').call({ text: 'Tea is hot. Ice is cold.' })).toEqual({
      sentences: ['Tea is hot.', 'Ice is cold.'],
      german: 'Tee',
    })
  })

  it('shows an agent that updates a row after its response', async () => {
    const rows = async (): Promise<unknown> => ((await ada.call('GET /api/v1/reports')) as { data: unknown }).data
    // A server creates its tables at the start, an app under test with the first request that needs them.
    expect(await rows()).toEqual([])
    const { id } = (await ada.agent('report').call({ subject: 'Tea' })) as { id: number }
    expect(await rows()).toMatchObject([{ id }])
    await expect.poll(rows).toMatchObject([{ id, percent: 100, text: 'Tea is hot.' }])
    expect(await app.as({ name: 'Alan' }).call('GET /api/v1/reports')).toMatchObject({ data: [] })
    await expect(ada.call('POST /api/v1/reports', { subject: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  }, 120_000)

  it('shows middleware that rejects guests for agents only', async () => {
    await expect(app.agent('echo').call({ a: 1 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(app.call('GET /api/elsewhere')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
