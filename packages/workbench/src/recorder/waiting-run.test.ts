import { createAgent, createApp, memoryRuns, serve, type Server } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { openRunStore } from '../store/file-run-store.ts'
import { createAppRecorder, type AppRecorder } from './app-recorder.ts'
import type { RunStore } from '../store/run-store.ts'

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

const answer = createAgent('answer', {
  durable: { concurrency: 1 },
  async handler(ctx) {
    ctx.log.info(`answered ${String(await ctx.step('first', () => ctx.call(double, 4)))}`)
  },
})

const fail = createAgent('fail', {
  durable: true,
  async handler(ctx, input: { nap: boolean }) {
    if (input.nap) await ctx.sleep('nap', 1)
    throw new Error('cannot book', { cause: new TypeError('the ledger is closed') })
  },
})

const folder = temporaryFolder('recorder')
let store: RunStore
let recorder: AppRecorder
let server: Server
beforeEach(async () => {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  store = openRunStore({ folder: folder.path })
  recorder = createAppRecorder({ store, root: import.meta.dirname })
  const runs = memoryRuns()
  const { observeRun } = recorder
  const app = createApp({ agents: [answer, buy, double, fail], runs, log, rateLimit: false, '~observeRun': observeRun })
  server = await serve(recorder.recordApp(app), { port: 0, signals: false, survive: false })
})
afterEach(async () => {
  await server.close()
  recorder.close()
  await store.close()
  folder.remove()
})

function post(path: string, body: string): Promise<Response> {
  return fetch(server.url + path, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
}

it('adds what a durable run does after it was queued to the run of the request that has started it', async () => {
  const responses = await Promise.all([post('/agent/answer', '{}'), post('/agent/answer', '{}')])
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
  await store.flush()
  const { runs } = await store.list()
  expect(runs).toMatchObject([{ status: 200 }, { status: 200 }])
  for (const { id } of runs) {
    const run = await store.read(id)
    expect(run?.logs.map(({ message }) => message)).toEqual(['answered 8'])
    expect(run?.spans.map(({ route }) => route)).toEqual(['POST /agent/double'])
  }
})

it('adds what a durable run does after a pause to the run of the request that has started it', async () => {
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
})

it('records the error that a durable run has thrown, also after the response', async () => {
  const response = await post('/agent/fail', '{"nap":false}')
  const late = await fetch(`${server.url}/agent/fail`, {
    method: 'POST',
    body: '{"nap":true}',
    headers: { 'content-type': 'application/json', prefer: 'respond-async' },
  })
  expect([response.status, late.status]).toEqual([500, 202])
  const ids = [response.headers.get('run-id') ?? '', late.headers.get('run-id') ?? '']
  for (const durableRun of ids) {
    await expect
      .poll(async () => (await store.list({ durableRun })).runs)
      .toMatchObject([{ durableRun, state: 'failed', error: 'Error: cannot book' }])
    const [found] = (await store.list({ durableRun })).runs
    const thrown = { message: 'cannot book', cause: { name: 'TypeError', message: 'the ledger is closed' } }
    expect((await store.read(found?.id ?? ''))?.thrown).toMatchObject(thrown)
  }
  const groups = await store.errors()
  expect(groups.map(({ count }) => count)).toEqual([2])
})
