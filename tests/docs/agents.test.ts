import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { shownIn } from './shown.ts'
import { writePage } from './write-page.ts'

const PAGE = 'docs/guide/agents.md'

describe('the page of agents', () => {
  let app: TestApp
  let ada: TestApp
  beforeAll(async () => {
    app = await testApp((await writePage(PAGE)).path)
    ada = app.as({ name: 'Ada' })
  })
  afterAll(() => app?.close())

  it('has an echo', async () => {
    expect(JSON.stringify(await ada.agent('echo').call({ a: 1 }), null, 2)).toBe(shownIn(PAGE)[0])
  })

  it('translates, and says what it cannot', async () => {
    expect(await ada.agent('translate').call({ word: 'Tea' })).toEqual({ german: 'Tee' })
    await expect(ada.agent('translate').call({ word: 'milk' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      status: 404,
    })
  })

  it('refuses input as it shows, and fields that nobody knows', async () => {
    const { error } = JSON.parse(shownIn(PAGE)[1] ?? '') as { error: object }
    await expect(ada.agent('translate').call({ word: ' ' })).rejects.toMatchObject(error)
    await expect(ada.agent('translate').call({ word: 'tea', to: 'fr' })).rejects.toMatchObject({
      details: [{ code: 'UNKNOWN_FIELD', pointer: '/to' }],
    })
  })

  it('calls agents from an agent', async () => {
    expect(await ada.agent('digest').call({ text: 'Tea is hot. Ice is cold.' })).toEqual({
      sentences: ['Tea is hot.', 'Ice is cold.'],
      german: 'Tee',
    })
  })

  it('goes on with a report after it has answered, for whoever looks at its row', async () => {
    const rows = async (): Promise<unknown> => ((await ada.call('GET /api/v1/reports')) as { data: unknown }).data
    // A server makes its tables at the start, an app under test when a request needs them.
    expect(await rows()).toEqual([])
    const { id } = (await ada.agent('report').call({ subject: 'Tea' })) as { id: number }
    expect(await rows()).toMatchObject([{ id }])
    await expect.poll(rows, { timeout: 60_000 }).toMatchObject([{ id, percent: 100, text: 'Tea is hot.' }])
    expect(await app.as({ name: 'Alan' }).call('GET /api/v1/reports')).toMatchObject({ data: [] })
    await expect(ada.call('POST /api/v1/reports', { subject: 'x' })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  }, 120_000)

  it('closes all agents to guests with one line, and nothing else', async () => {
    await expect(app.agent('echo').call({ a: 1 })).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await expect(app.call('GET /api/elsewhere')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})
