import { createAgent, createApp, memoryRuns, serve } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { openRunStore } from '../store/file-run-store.ts'
import { createAppRecorder } from './app-recorder.ts'

const double = createAgent('double', { handler: (_ctx, input: number) => input * 2 })
const buy = createAgent('buy', {
  durable: true,
  events: { approval: z.object({ ok: z.boolean() }) },
  async handler(ctx) {
    await ctx.step('first', () => ctx.call(double, 1))
    await ctx.wait('approval')
    await ctx.step('second', () => ctx.call(double, 2))
    ctx.log.info('bought')
  },
})

it('adds what a durable run does after a pause to the run of the request that has started it', async () => {
  const folder = temporaryFolder('recorder')
  const store = openRunStore({ folder: folder.path })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const recorder = createAppRecorder({ store, root: import.meta.dirname })
  const app = createApp({ agents: [buy, double], runs: memoryRuns(), log, rateLimit: false })
  const server = await serve(recorder.recordApp(app), { port: 0, signals: false, survive: false })
  const post = (path: string, body: string): Promise<Response> =>
    fetch(server.url + path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })

  const response = await post('/agent/buy', '{}')
  const { id } = (await response.json()) as { id: string }
  await store.flush()
  const [started] = (await store.list()).runs
  const stored = await store.read(started?.id ?? '')
  expect([response.status, stored?.state, stored?.spans.map(({ input }) => input?.text)]).toEqual([202, 'done', ['1']])

  await post(`/agent/buy/runs/${id}/events/approval`, '{"ok":true}')
  await expect
    .poll(async () => (await store.read(started?.id ?? ''))?.logs.map(({ message }) => message))
    .toEqual(['bought'])
  await store.flush()
  const run = await store.read(started?.id ?? '')
  expect(run?.spans.map(({ input, endedAt }) => [input?.text, endedAt !== null])).toEqual([
    ['1', true],
    ['2', true],
  ])
  expect((await store.list()).runs.filter(({ id: one }) => one === started?.id)).toHaveLength(1)
  await server.close()
  recorder.close()
  await store.close()
  folder.remove()
})
