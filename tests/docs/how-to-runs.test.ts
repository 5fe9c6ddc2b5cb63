import { pathToFileURL } from 'node:url'
import { testApp, type TestApp } from '@sdk/server/testing'
import { postgresRuns, type Database } from '@sdk/database'
import { createApp, createLog, memoryRuns, nextTicks, type Agent, type Router } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writePage } from './write-page.ts'

interface SentRequest {
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

describe('docs/how-to/durable-runs.md', () => {
  let app: TestApp
  let folder: string
  let database: Database
  const sent: string[] = []
  const keys: (string | undefined)[] = []
  const load = async <T>(file: string): Promise<T> =>
    (await import(/* @vite-ignore */ pathToFileURL(`${folder}/src/${file}`).href)) as T
  beforeAll(async () => {
    vi.stubGlobal('fetch', async (url: string, { body = '', headers }: SentRequest = {}) => {
      sent.push(`${url} ${body}`)
      keys.push(headers?.['idempotency-key'])
      return new Response('blue light scatters')
    })
    folder = (await writePage('docs/how-to/durable-runs.md')).path
    app = await testApp(folder)
    ;({ database } = await load<{ database: Database }>('database.ts'))
  }, 120_000)
  afterAll(async () => {
    vi.unstubAllGlobals()
    await app?.close()
  })

  it('shows a long answer', async () => {
    const chunks = await app.agent('answer').collect({ question: 'Why?' })
    expect((chunks as { text: string }[]).map(({ text }) => text).join('')).toBe('Why? blue light scatters ')
  })

  it('shows a reply that is sent, discarded, or forgotten for three days', async () => {
    const input = { to: 'ada@example.com', message: 'Hello' }
    const run = await app.runs.start('reply', input)
    expect(run.waiting).toMatchObject({ event: 'decision', ask: { to: input.to, draft: expect.any(String) } })
    sent.length = 0
    const text = 'Hello, Ada'
    expect(await app.runs.send(run, 'decision', { ok: true, text })).toMatchObject({ output: { isSent: true } })
    expect(sent).toEqual([`https://mail.example.com/send {"to":"ada@example.com","text":"${text}"}`])
    const second = await app.runs.start('reply', input)
    expect(await app.runs.send(second, 'decision', { ok: false, text: '' })).toMatchObject({
      output: { isSent: false },
    })
    const third = await app.runs.start('reply', input)
    await app.runs.advance('3d')
    expect(await app.runs.get(third)).toMatchObject({ status: 'done', output: { isSent: false } })
    expect(sent).toHaveLength(1)
  })
  it('shows a nightly job that archives old tasks', async () => {
    await app.call('POST /api/v1/tasks', { title: 'New', done: true })
    const insert =
      "insert into tasks (title, done, updated_at) values ($1, $2, now() - interval '31 days') returning id"
    const [old] = await database.query<{ id: number }>(insert, ['Old', true])
    await database.query(insert, ['Open', false])
    sent.length = 0
    const { default: archive } = await load<{ default: Agent }>('agent/archive/index.ts')
    const tick = nextTicks(archive, 1)[0]?.getTime() ?? 0
    expect(new Date(tick).toLocaleTimeString('de', { timeZone: 'Europe/Berlin' })).toBe('03:00:00')
    let now = tick - 500
    const runs = memoryRuns({ now: () => now })
    const begin = vi.spyOn(runs.schedules, 'begin')
    const night = createApp({ agents: [archive], log: createLog({ level: 'silent' }), runs })
    await night.ready()
    await expect.poll(() => begin.mock.settledResults.at(-1)?.type).toBe('fulfilled')
    now = tick
    await expect
      .poll(async () => (await database.query('select title from tasks order by title')).map((row) => row['title']))
      .toEqual(['New', 'Open'])
    await night.close()
    expect(sent).toEqual([`https://archive.example.com/tasks/${old?.id} {"id":${old?.id},"title":"Old"}`])
    const run = await app.runs.start('archive', undefined)
    expect(run).toMatchObject({ status: 'done', output: { archived: 0 } })
  })

  it('shows an email that is sent if its row is stored', async () => {
    const { default: confirm } = await load<{ default: Agent }>('agent/confirm/index.ts')
    const { default: router } = await load<{ default: Router }>('api/index.ts')
    const log = createLog({ level: 'silent' })
    const shop = await testApp(createApp({ agents: [confirm], router, log, runs: postgresRuns({ database, log }) }))
    const ada = shop.as({ name: 'Ada', email: 'ada@example.com' })
    sent.length = 0
    keys.length = 0
    const { id } = (await ada.call('POST /api/orders', { item: 'kettle' })) as { id: number }
    const listRuns = async (): Promise<unknown> => ada.call('GET /agent/confirm/runs')
    await expect.poll(listRuns).toMatchObject({ data: [{ status: 'done' }] })
    const text = 'Thank you for ordering: kettle'
    expect(sent).toEqual([`https://mail.example.com/send {"to":"ada@example.com","text":"${text}"}`])
    expect(keys).toEqual([expect.stringMatching(/^[\da-f]{32}\/send$/)])
    const eve = shop.as({ name: 'Eve' })
    await expect(eve.call('POST /agent/confirm', { id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await database.query('alter table orders add unique (item) deferrable initially deferred') // fails after tx.start
    await expect(ada.call('POST /api/orders', { item: 'kettle' })).rejects.toBeInstanceOf(Error)
    expect(await listRuns()).toMatchObject({ data: [{ status: 'done' }] })
    expect(await database.query('select 1 from orders')).toHaveLength(1)
    expect(sent).toHaveLength(1)
  })

  it('shows a chat whose thread keeps the messages', async () => {
    const [ada, headers] = [app.as({ name: 'Ada' }), { 'run-thread': 't' }]
    const send = (text: string): Promise<unknown> => ada.call('POST /agent/chat', { text }, { headers })
    await Promise.all([send('Hello'), send('Again')])
    const thread = (await ada.call('GET /agent/chat/threads/:thread', { params: { thread: 't' } })) as {
      state: { messages: { from: string; text: string }[] }
    }
    expect(thread.state.messages.map(({ from }) => from)).toEqual(['user', 'agent', 'user', 'agent'])
    expect(thread.state.messages[3]?.text).toContain('Hello')
  })
})
