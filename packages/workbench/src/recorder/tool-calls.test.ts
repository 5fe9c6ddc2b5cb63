import { ApiError, createAgent, createApp, createRouter, resolveTools, serve, type Server } from '@sdk/server'
import { temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Run } from '../run.ts'
import { openRunStore } from '../store/file-run-store.ts'
import type { RunStore } from '../store/run-store.ts'
import { createAppRecorder } from './app-recorder.ts'

const agents = [
  createAgent('double', { handler: (_ctx, input: number) => input * 2 }),
  createAgent('fails', {
    handler() {
      throw new TypeError('no such user 7')
    },
  }),
]

type ToolCall = readonly [route: string, input: object, client: string | null]

const router = createRouter()
  .on('PATCH /api/items/:id', () => {
    throw new ApiError('CONFLICT', 'is taken')
  })
  .on('POST /api/tools', async (ctx, calls: readonly ToolCall[]) => {
    for (const [route, input, client] of calls) {
      const [tool] = await resolveTools(ctx, { it: route })
      await tool?.run(input, { client })
    }
    return { ok: true }
  })

let folder: TemporaryFolder
let store: RunStore
let server: Server
beforeAll(async () => {
  folder = temporaryFolder('recorder')
  store = openRunStore({ folder: folder.path })
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const recorder = createAppRecorder({ store, root: import.meta.dirname })
  const app = createApp({ agents, router, log, rateLimit: false })
  server = await serve(recorder.recordApp(app), { port: 0, signals: false, survive: false })
})
afterAll(async () => {
  await server.close()
  await store.close()
  folder.remove()
})

/** Sends a request that calls tools, and returns its recorded run. */
async function runOf(...calls: ToolCall[]): Promise<Run> {
  const headers = { 'content-type': 'application/json', 'user-agent': 'editor/1.0' }
  const response = await fetch(`${server.url}/api/tools`, { method: 'POST', headers, body: JSON.stringify(calls) })
  await response.text()
  await store.flush()
  const run = await store.read((await store.list()).runs[0]?.id ?? '')
  if (run === null) throw new Error('nothing was recorded')
  return run
}

const SENT = { via: 'POST /api/tools', target: '/api/tools', method: 'POST', status: 200 }

it('names a tool call by its route and its client, and stores the body as sent', async () => {
  const call: ToolCall = ['POST /agent/double', { input: 4 }, 'Claude']
  const named = { route: 'POST /agent/double', kind: 'agent', caller: 'Claude', state: 'done' }
  const body = { text: JSON.stringify([call]) }
  expect(await runOf(call)).toMatchObject({ ...SENT, ...named, request: { body }, spans: [{ route: named.route }] })
})

it('has the state and the error of the tool', async () => {
  const refused = { route: 'PATCH /api/items/:id', kind: 'route', state: 'refused', error: 'CONFLICT: is taken' }
  expect(await runOf(['PATCH /api/items/:id', { id: 'a' }, 'Claude'])).toMatchObject({ ...SENT, ...refused })
  const failed = { route: 'POST /agent/fails', state: 'failed', thrown: { message: 'no such user 7' } }
  expect(await runOf(['POST /agent/fails', {}, 'Claude'])).toMatchObject({ ...SENT, ...failed })
})

it('uses the user agent if the client has no name, and limits the length of names', async () => {
  for (const name of [null, '', ' '.repeat(9)])
    expect((await runOf(['POST /agent/double', { input: 1 }, name])).caller).toBe('editor')
  expect((await runOf(['POST /agent/double', { input: 1 }, 'x'.repeat(999)])).caller).toHaveLength(100)
})

it('keeps the name of a request that calls several tools', async () => {
  const run = await runOf(['POST /agent/double', { input: 1 }, 'Claude'], ['POST /agent/fails', {}, 'Claude'])
  expect(run).toMatchObject({ route: 'POST /api/tools', caller: 'editor', state: 'done' })
  expect(run).not.toHaveProperty('via')
})
