import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ApiError, createAgent, createRouter, createApp, createLog, type Context } from '../index.ts'
import { closeAll, createClockStore, ended, open } from './run-app.test.fixture.ts'

afterEach(closeAll)

describe('ctx.call of a durable agent in a run', () => {
  const child = createAgent('child', {
    durable: true,
    input: z.object({ text: z.string(), isSlow: z.boolean().default(false) }),
    events: { go: z.object({}) },
    async handler(ctx, { text, isSlow }) {
      if (isSlow) await ctx.wait('go')
      if (text === '') throw new ApiError('CONFLICT', 'no text')
      return { text, user: ctx.auth?.session.userId ?? null, at: new Date(0) }
    },
  })

  it('returns the result of another run, which happens once', async () => {
    const attempts: number[] = []
    const parent = createAgent('parent', {
      durable: true,
      async handler(ctx) {
        attempts.push(ctx.run.attempt)
        const all = await Promise.all([ctx.call(child, { text: 'a' }), ctx.call(child, { text: 'b' })])
        const slow = await ctx.call(child, { text: 'c', isSlow: true })
        const failed = await ctx.call(child, { text: '' }).catch((error: ApiError) => [error.code, error.status])
        return [...all, slow, failed]
      },
    })
    const app = open([parent, child])
    const run = await app.app.start(parent, null, { as: 'ada' })
    const path = `/agent/parent/runs/${run.id}`
    // The caller leaves memory.
    await expect.poll(async () => (await app.run(path, 'ada')).status).toBe('waiting')
    const childRuns = async (): Promise<{ id: string; status: string }[]> => {
      const { body } = await app.json('GET /agent/child/runs', { user: 'ada' })
      return (body as { data: { id: string; status: string }[] }).data
    }
    const statuses = async (): Promise<string[]> => (await childRuns()).map(({ status }) => status).toSorted()
    await expect.poll(statuses).toEqual(['done', 'done', 'waiting'])
    const waiting = (await childRuns()).find(({ status }) => status === 'waiting')?.id
    await app.send(`POST /agent/child/runs/${waiting}/events/go`, { user: 'ada', body: {} })
    const at = '1970-01-01T00:00:00.000Z'
    const output = ['a', 'b', 'c'].map((text) => ({ text, user: 'ada', at }))
    expect(await ended(app, path, 'ada')).toMatchObject({ status: 'done', output: [...output, ['CONFLICT', 409]] })
    expect(attempts.length).toBeGreaterThan(1)
    expect(await childRuns()).toHaveLength(4)
  })

  it('throws if the other run was cancelled', async () => {
    const parent = createAgent('parent', {
      durable: true,
      handler: (ctx) => ctx.call(child, { text: 'c', isSlow: true }).catch((error: ApiError) => error.code),
    })
    const { store, advance } = createClockStore()
    const app = open([parent, child], store)
    const run = await app.app.start(parent, null, { as: 'ada' })
    const path = `/agent/parent/runs/${run.id}`
    await expect.poll(async () => (await app.run(path, 'ada')).status).toBe('waiting')
    const { body } = await app.json('GET /agent/child/runs', { user: 'ada' })
    const { id } = (body as { data: { id: string }[] }).data[0] ?? { id: '' }
    await app.send(`DELETE /agent/child/runs/${id}`, { user: 'ada' })
    advance(60_000)
    expect(await ended(app, path, 'ada')).toMatchObject({ output: 'RUN_CANCELLED' })
  })

  it('does not block an agent with one run at a time that calls itself', async () => {
    const self = createAgent('self', {
      durable: { concurrency: 1 },
      input: z.number(),
      handler: async (ctx, depth): Promise<number> => (depth === 0 ? 0 : (await callSelf(ctx, depth - 1)) + 1),
    })
    const callSelf = (ctx: Pick<Context, 'call'>, depth: number): Promise<number> => ctx.call(self, depth)
    const app = open([self])
    const { id } = await app.app.start(self, 3)
    expect(await ended(app, `/agent/self/runs/${id}`)).toMatchObject({ status: 'done', output: 3 })
  })

  it('cannot call an agent that streams, nor a durable agent outside of a run', async () => {
    const stream = createAgent('stream', {
      durable: true,
      async *handler() {
        yield 1
      },
    })
    const parent = createAgent('parent', { durable: true, handler: (ctx) => ctx.call(stream, undefined).catch(String) })
    const app = open([parent, stream])
    const { id } = await app.app.start(parent, null)
    const { output } = await ended(app, `/agent/parent/runs/${id}`)
    expect(output).toBe(
      'TypeError: ctx.call cannot call the durable agent stream, which streams: start it with ctx.start',
    )
    const router = createRouter().on('GET /call', (ctx) => ctx.call(child, { text: 'a' }).catch(String))
    const plain = createApp({ agents: [child], router, log: createLog({ write: () => {} }) })
    const response = await plain.fetch(new Request('http://localhost/call'))
    expect(await response.text()).toContain('ctx.call can call the durable agent child only in a durable agent')
    await plain.close()
  })
})
