import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createAgent, memoryRuns, type DurableOptions } from '../index.ts'
import { closeAll, ended, gate, open, type RunApp } from './run-app.test.fixture.ts'

afterEach(closeAll)

const IN_THREAD = { user: 'ada', headers: { 'run-thread': 't' } }

/** An agent that adds its input to the state of the thread. */
const chat: unknown = createAgent('chat', {
  durable: true,
  input: z.string(),
  state: z.object({ messages: z.array(z.string()) }).default({ messages: [] }),
  handler(ctx, message) {
    ctx.thread?.state.messages.push(message)
    if (message === 'fail') throw new Error('failed')
    if (message === 'huge') ctx.thread?.state.messages.push('x'.repeat(1_048_576))
    if (message === 'wrong') Object.assign(ctx.thread ?? {}, { state: { messages: 7 } })
    return ctx.thread
  },
})

const say = (app: RunApp, body: unknown): ReturnType<RunApp['json']> =>
  app.json('POST /agent/chat', { body, ...IN_THREAD })

const stateOf = async (app: RunApp): Promise<unknown> =>
  ((await app.json('GET /agent/chat/threads/t', { user: 'ada' })).body as { state: unknown }).state

describe('ctx.thread', () => {
  it('has the state of the last run of the thread, which begins with the default of its schema', async () => {
    const app = open([chat])
    expect((await say(app, 'one')).body).toEqual({ id: 't', state: { messages: ['one'] } })
    expect((await say(app, 'two')).body).toEqual({ id: 't', state: { messages: ['one', 'two'] } })
    const other = { user: 'bob', headers: { 'run-thread': 't' } }
    expect((await app.json('POST /agent/chat', { body: 'one', ...other })).body).toMatchObject({
      state: { messages: ['one'] },
    })
    expect(await app.json('POST /agent/chat', { body: 'one', user: 'ada' })).toEqual({ status: 200, body: null })
    expect(await app.json('GET /agent/chat/threads/t', { user: 'ada' })).toMatchObject({
      body: { state: { messages: ['one', 'two'] }, run: { status: 'done' } },
    })
  })

  it('keeps the state if the run fails, or if the state is too large or does not match its schema', async () => {
    const app = open([chat])
    await say(app, 'one')
    expect(await say(app, 'fail')).toMatchObject({ status: 500 })
    expect(await say(app, 'huge')).toMatchObject({ body: { error: { code: 'RUN_LIMIT_EXCEEDED' } } })
    expect(await say(app, 'wrong')).toMatchObject({ status: 500 })
    expect(JSON.stringify(app.lines)).toContain('ctx.thread.state must match the state schema of the agent')
    expect(await stateOf(app)).toEqual({ messages: ['one'] })
  })

  it('is null at first without a default, and can be assigned', async () => {
    const agent = createAgent('chat', {
      durable: true,
      state: z.object({ count: z.number() }),
      handler(ctx) {
        const { thread } = ctx
        if (thread === null) return null
        const before = thread.state
        thread.state = before?.count === 2 ? null : { count: (before?.count ?? 0) + 1 }
        return before
      },
    })
    const app = open([agent])
    const states = [null, { count: 1 }, { count: 2 }, null]
    for (const state of states) expect((await app.json('POST /agent/chat', IN_THREAD)).body).toEqual(state)
  })

  it('fails a run with a clear error if the schema no longer matches the stored state', async () => {
    const store = memoryRuns()
    await say(open([chat], store), 'one')
    await closeAll()
    const agent = createAgent('chat', { durable: true, state: z.object({ messages: z.number() }), handler: () => 1 })
    const app = open([agent], store)
    expect(await app.json('POST /agent/chat', IN_THREAD)).toMatchObject({
      body: {
        error: {
          code: 'RUN_INPUT_CHANGED',
          message: "The thread's state does not match its agent's current state schema",
          details: [{ pointer: '/messages' }],
        },
      },
    })
    expect(await stateOf(app)).toEqual({ messages: ['one'] })
  })

  it('starts from the stored state in each attempt', async () => {
    const store = memoryRuns()
    const { opened, open: release } = gate()
    const [begun, seen] = [gate(), [] as unknown[]]
    const agent = createAgent('chat', {
      durable: true,
      state: z.array(z.number()).default([]),
      async handler(ctx) {
        ctx.thread?.state.push(ctx.run.attempt)
        seen.push(structuredClone(ctx.thread?.state))
        begun.open()
        if (ctx.run.attempt === 1) await opened
      },
    })
    const first = open([agent], store)
    const response = await first.send('POST /agent/chat', {
      user: 'ada',
      headers: { 'run-thread': 't', prefer: 'respond-async' },
    })
    await begun.opened
    await first.app.close()
    release()
    const second = open([agent], store)
    await second.app.ready()
    await ended(second, response.headers.get('location') ?? '', 'ada')
    expect(seen).toEqual([[1], [2]])
    expect(await stateOf(second)).toEqual([2])
  })

  it('is rejected in agents that are not durable', async () => {
    expect(() => createAgent('chat', { state: z.string(), handler: () => 1 } as never)).toThrow(
      'agent "chat": state must be used with durable: true',
    )
    const app = open([createAgent('plain', { handler: (ctx) => (ctx as { thread?: unknown }).thread }), chat])
    expect(await app.json('POST /agent/plain')).toMatchObject({ status: 500 })
  })
})

describe('the routes of threads', () => {
  it("list and delete the caller's own threads", async () => {
    const app = open([chat])
    for (const thread of ['t', 'u', 'v'])
      await app.json('POST /agent/chat', { body: 'one', user: 'ada', headers: { 'run-thread': thread } })
    await app.json('POST /agent/chat', { body: 'one', user: 'bob', headers: { 'run-thread': 'w' } })
    type ThreadPage = { data: { id: string }[]; pagination: { nextCursor: string | null } }
    const list = async (query: string, user = 'ada'): Promise<ThreadPage> =>
      (await app.json(`GET /agent/chat/threads${query}`, { user })).body as ThreadPage
    const first = await list('?limit=2')
    const rest = await list(`?limit=2&cursor=${first.pagination.nextCursor}`)
    expect([...first.data, ...rest.data].map(({ id }) => id).toSorted()).toEqual(['t', 'u', 'v'])
    expect(rest.pagination).toMatchObject({ hasMore: false, nextCursor: null })
    expect((await list('', 'bob')).data).toEqual([{ id: 'w', usedAt: expect.any(String) }])
    for (const query of ['limit=0', 'limit=x', 'cursor=x', `cursor=${first.pagination.nextCursor}x`])
      expect(await app.json(`GET /agent/chat/threads?${query}`, { user: 'ada' })).toMatchObject({ status: 400 })
    expect(await app.json('GET /agent/chat/threads')).toMatchObject({ status: 401 })
    for (const route of ['GET /agent/chat/threads/t', 'DELETE /agent/chat/threads/t']) {
      expect(await app.json(route)).toMatchObject({ status: 401 })
      expect(await app.json(route, { user: 'bob' })).toMatchObject({ status: 404 })
    }
    expect(await app.json('DELETE /agent/chat/threads/t', { user: 'ada' })).toEqual({ status: 204, body: null })
    expect(await app.json('DELETE /agent/chat/threads/t', { user: 'ada' })).toMatchObject({ status: 404 })
    expect(await app.json('DELETE /agent/chat/threads/a%20b', { user: 'ada' })).toMatchObject({ status: 400 })
    expect((await list('')).data.map(({ id }) => id).toSorted()).toEqual(['u', 'v'])
    expect((await app.json('GET /agent/chat/runs?thread=t', { user: 'ada' })).body).toMatchObject({ data: [] })
    expect((await say(app, 'new')).body).toEqual({ id: 't', state: { messages: ['new'] } })
  })

  it('cancel the unfinished run of a deleted thread', async () => {
    const aborted = gate()
    const agent = createAgent('slow', {
      durable: true,
      state: z.number().default(0),
      async handler(ctx) {
        if (ctx.thread !== null) ctx.thread.state = 7
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
        aborted.open()
      },
    })
    const app = open([agent])
    const headers = { 'run-thread': 't', prefer: 'respond-async' }
    const { headers: got } = await app.send('POST /agent/slow', { user: 'ada', headers })
    expect(await app.json('DELETE /agent/slow/threads/t', { user: 'ada' })).toMatchObject({ status: 204 })
    await aborted.opened
    expect(await app.json(`GET ${got.get('location')}`, { user: 'ada' })).toMatchObject({ status: 404 })
    expect(await app.json('GET /agent/slow/threads/t', { user: 'ada' })).toMatchObject({ status: 404 })
  })
})

describe('durable.busy', () => {
  /** Creates an app with an agent whose runs end in the given order, and functions that start a run. */
  function openSlow(busy: DurableOptions['busy']): {
    app: RunApp
    gates: Map<string, ReturnType<typeof gate>>
    seen: string[]
    start(name: string): Promise<string>
    startInBackground(name: string): Promise<string>
  } {
    const gates = new Map(['one', 'two', 'three'].map((name) => [name, gate()]))
    const seen: string[] = []
    const agent = createAgent('slow', {
      durable: { ...(busy !== undefined && { busy }) },
      input: z.string(),
      state: z.array(z.string()).default([]),
      async handler(ctx, name) {
        seen.push(name)
        await gates.get(name)?.opened
        ctx.thread?.state.push(name)
        return ctx.thread?.state
      },
    })
    const app = open([agent])
    const start = async (name: string): Promise<string> => {
      const headers = { 'run-thread': 't', prefer: 'respond-async' }
      const response = await app.send('POST /agent/slow', { body: name, user: 'ada', headers })
      return response.headers.get('location') ?? String(response.status)
    }
    const startInBackground = async (name: string): Promise<string> =>
      `/agent/slow/runs/${(await app.app.start(agent, name, { as: 'ada', thread: 't' })).id}`
    return { app, gates, seen, start, startInBackground }
  }

  it('rejects a second run by default', async () => {
    const { app, start, gates } = openSlow(undefined)
    const first = await start('one')
    expect(await start('two')).toBe('409')
    gates.get('one')?.open()
    await ended(app, first, 'ada')
  })

  it('queues further runs, which run one at a time and in order', async () => {
    const { app, start, seen, gates } = openSlow('queue')
    const paths = [await start('one'), await start('two'), await start('three')]
    await expect.poll(() => seen).toEqual(['one'])
    expect(await app.run(paths[1] ?? '', 'ada')).toMatchObject({ status: 'queued', input: 'two' })
    expect(await app.json('GET /agent/slow/runs', { user: 'ada' })).toMatchObject({
      body: { data: [{ input: 'three' }, { input: 'two' }, { status: 'running', input: null }] },
    })
    gates.get('two')?.open()
    gates.get('one')?.open()
    await ended(app, paths[1] ?? '', 'ada')
    await expect.poll(() => seen).toEqual(['one', 'two', 'three'])
    gates.get('three')?.open()
    expect((await ended(app, paths[2] ?? '', 'ada')).output).toEqual(['one', 'two', 'three'])
  })

  it('replaces an unfinished run', async () => {
    const { app, start, gates } = openSlow('replace')
    const paths = [...(await Promise.all([start('one'), start('two')])), await start('three')]
    gates.get('three')?.open()
    expect((await ended(app, paths[2] ?? '', 'ada')).output).toEqual(['three'])
    for (const path of paths.slice(0, 2)) expect(await app.run(path, 'ada')).toMatchObject({ status: 'cancelled' })
  })

  it('applies to runs that the app starts in the background', async () => {
    const queue = openSlow('queue')
    const names = ['one', 'two', 'three']
    const queued = await Promise.all(names.map((name) => queue.startInBackground(name)))
    for (const name of names.toReversed()) queue.gates.get(name)?.open()
    expect((await ended(queue.app, queued[2] ?? '', 'ada')).output).toEqual(names)

    const replace = openSlow('replace')
    const [first, second] = [await replace.start('one'), await replace.startInBackground('two')]
    replace.gates.get('two')?.open()
    expect((await ended(replace.app, second, 'ada')).output).toEqual(['two'])
    expect(await replace.app.run(first, 'ada')).toMatchObject({ status: 'cancelled' })

    const reject = openSlow('reject')
    await reject.start('one')
    await expect(reject.startInBackground('two')).rejects.toMatchObject({ code: 'RUN_IN_PROGRESS' })
  })

  it('must be known', () => {
    const create = (): unknown => createAgent('slow', { durable: { busy: 'wait' as never }, handler: () => 1 })
    expect(create).toThrow(`agent "slow": durable.busy must be 'reject', 'queue' or 'replace', got "wait"`)
  })
})
