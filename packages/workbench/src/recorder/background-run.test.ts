import { once } from 'node:events'
import { createAgent, createApp, memoryRuns, type App } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Run } from '../run.ts'
import { openRunStore } from '../store/file-run-store.ts'
import { createAppRecorder, type AppRecorder } from './app-recorder.ts'
import type { RunStore } from '../store/run-store.ts'

const double = createAgent('double', { handler: (_ctx, input: number) => input * 2 })
const digest = createAgent('digest', {
  durable: true,
  async handler(ctx, input: number) {
    ctx.log.info('started')
    const found = await ctx.step('first', () => ctx.call(double, input))
    await ctx.sleep('pause', 50)
    ctx.log.info('continued')
    return { found }
  },
})
const lines = createAgent('lines', {
  durable: true,
  async *handler() {
    yield { n: 1 }
    yield { n: 2 }
  },
})
const broken = createAgent('broken', {
  durable: true,
  handler() {
    throw new TypeError('no luck')
  },
})
const slow = createAgent('slow', {
  durable: true,
  handler: (ctx) => once(ctx.signal, 'abort'),
})

const folder = temporaryFolder('recorder')
const log = { debug() {}, info() {}, warn() {}, error() {} }
let store: RunStore
let recorder: AppRecorder
let app: App
beforeEach(async () => {
  store = openRunStore({ folder: folder.path })
  recorder = createAppRecorder({ store, root: import.meta.dirname })
  const agents = [digest, lines, broken, slow, double]
  app = createApp({ agents, runs: memoryRuns(), log, rateLimit: false, '~observeRun': recorder.observeRun })
  await app.ready()
})
afterEach(async () => {
  await app.close()
  recorder.close()
  await store.close()
  folder.remove()
})

/** Returns the recording of a durable run. */
async function recordingOf(requestId: string): Promise<Run | null> {
  await store.flush()
  const [found] = (await store.list({ requestId, limit: 1 })).runs
  return found === undefined ? null : store.read(found.id)
}

it('records a run that was started in the background, with what it does after a pause', async () => {
  const { id } = await app.start(digest, 21)
  await expect
    .poll(async () => (await recordingOf(id))?.logs.map(({ message }) => message))
    .toEqual(['started', 'continued'])
  await expect.poll(async () => (await recordingOf(id))?.pieces.map(({ text }) => text)).toEqual(['{"found":42}'])
  const run = await recordingOf(id)
  expect(run).toMatchObject({ route: 'POST /agent/digest', kind: 'agent', state: 'done', caller: 'background' })
  expect(run?.request.body?.text).toBe('21')
  expect(run?.response?.headers).toContainEqual(['run-id', id])
  expect(run?.spans.map(({ route, endedAt }) => [route, endedAt !== null])).toEqual([['POST /agent/double', true]])
  expect((await store.list()).runs).toHaveLength(1)
})

it('records the chunks of a stream', async () => {
  const { id } = await app.start(lines, undefined)
  await expect
    .poll(async () => (await recordingOf(id))?.pieces.map(({ text }) => text))
    .toEqual(['{"n":1}\n', '{"n":2}\n'])
  expect(await recordingOf(id)).toMatchObject({ state: 'done', chunks: 2 })
})

it('records the error of a run that fails', async () => {
  const { id } = await app.start(broken, undefined)
  await expect.poll(async () => (await recordingOf(id))?.state).toBe('failed')
  const run = await recordingOf(id)
  expect([run?.error, run?.thrown?.name, run?.thrown?.message]).toEqual(['TypeError: no luck', 'TypeError', 'no luck'])
})

it('records a run that is cancelled', async () => {
  const { id } = await app.start(slow, undefined)
  await expect.poll(async () => (await recordingOf(id))?.state).toBe('running')
  await app['~runs']()?.store.cancel(id, 'test')
  await expect.poll(async () => (await recordingOf(id))?.state, { timeout: 10_000 }).toBe('cancelled')
})

it('names the schedule as the caller of a scheduled run', async () => {
  const run = { id: 'r1', route: 'POST /agent/digest', input: null, auth: null, isScheduled: true }
  recorder.observeRun(run)?.onEnd({})
  expect(await recordingOf('r1')).toMatchObject({ caller: 'schedule', state: 'done', status: 0, pieces: [] })
})

it('records nothing while recording is turned off', () => {
  const settings = (): { isRecording: boolean; redact: string[] } => ({ isRecording: false, redact: [] })
  const off = createAppRecorder({ store, root: import.meta.dirname, settings })
  const run = { id: 'r2', route: 'POST /agent/digest', input: null, auth: null, isScheduled: false }
  expect(off.observeRun(run)).toBeUndefined()
  off.close()
})
