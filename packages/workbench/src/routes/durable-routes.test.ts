import { createAgent, createApp, createLog, memoryRuns, serve, type RunInspection, type Server } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { DurableRunList } from '../api.ts'
import { workbenchHeaders } from '../guard.ts'
import { openRecording } from '../recording.ts'
import { createWorkbench, type Workbench } from '../workbench.ts'

const DAY = 86_400_000
const log = createLog({ write: () => {} })
const store = memoryRuns()
const count = createAgent('count', {
  durable: true,
  async *handler(ctx) {
    await ctx.step('plan', () => ({ to: 3 }))
    for (let number = 0; number < 3; number++) yield number
  },
})
const app = createApp({ agents: [count], log, runs: store })
const daily = { agent: 'count', name: '0 0 * * * UTC', next: (after: number) => (Math.floor(after / DAY) + 1) * DAY }
const recording = openRecording({ root: temporaryFolder('durable-routes').path })
let workbench: Workbench
let server: Server
let ids: string[]

beforeAll(async () => {
  const shown = { routes: app.routes, schedules: () => [daily] }
  workbench = createWorkbench({ app: shown, recording, log, durableRuns: () => store })
  server = await serve(app, { port: 0, fallback: workbench.handle })
  const responses = [await start(), await start()]
  ids = responses.map((response) => response.headers.get('run-id') ?? '')
})
afterAll(async () => {
  await workbench.close()
  await server.close()
  await recording.close()
})

async function start(): Promise<Response> {
  const response = await fetch(`${server.url}/agent/count`, { method: 'POST' })
  await response.text()
  return response
}

async function get(path: string): Promise<{ status: number; body: unknown }> {
  const token = new URL(workbench.linkAt(server.url)).searchParams.get('token') ?? ''
  const headers = { ...workbenchHeaders(server.url, token) }
  const response = await fetch(`${server.url}/_workbench/api/durable-runs${path}`, { headers })
  return { status: response.status, body: await response.json() }
}

it('lists durable runs with filters and pages, and the next ticks of schedules', async () => {
  const list = async (query: string): Promise<DurableRunList> => (await get(query)).body as DurableRunList
  const body = await list('?agent=count&status=done&limit=1')
  expect(body).toMatchObject({ isStored: true, hasMore: true, runs: [{ id: ids[1], agent: 'count', stepCount: 1 }] })
  const [schedule] = body.schedules
  expect(schedule).toMatchObject({ agent: 'count', schedule: '0 0 * * * UTC' })
  expect(schedule?.next).toHaveLength(3)
  expect(Date.parse(schedule?.next[1] ?? '') - Date.parse(schedule?.next[0] ?? '')).toBe(DAY)
  const rest = await list(`?before=${ids[1]}&status=&thread=`)
  expect(rest.runs.map(({ id }) => id)).toEqual([ids[0]])
  expect(await list('?agent=other')).toMatchObject({ runs: [], hasMore: false })
})

it('returns a durable run with its steps and chunks', async () => {
  const body = (await get(`/${ids[0]}?from=1`)).body as RunInspection
  expect(body).toMatchObject({ run: { status: 'done' }, chunkCount: 3, firstChunk: 1 })
  expect(body.chunks.map(({ text }) => text)).toEqual(['1', '2'])
  expect(body.steps).toMatchObject([{ name: 'plan', kind: 'step', value: { text: '{"to":3}' } }])
})

it('rejects invalid queries and unknown runs', async () => {
  expect((await get('?status=open')).status).toBe(400)
  expect((await get('?limit=0')).status).toBe(400)
  expect((await get(`/${ids[0]}?from=-1`)).status).toBe(400)
  expect((await get('/unknown')).status).toBe(404)
})

it('answers only callers with the token of the workbench', async () => {
  for (const path of ['', `/${ids[0]}`])
    expect((await fetch(`${server.url}/_workbench/api/durable-runs${path}`)).status).toBe(401)
})

it('lists nothing for an app without durable agents', async () => {
  const other = createWorkbench({ app: { routes: [] }, recording, log, token: 'x'.repeat(43) })
  const listening = await serve(createApp({ log }), { port: 0, fallback: other.handle })
  const headers = { ...workbenchHeaders(listening.url, 'x'.repeat(43)) }
  const response = await fetch(`${listening.url}/_workbench/api/durable-runs`, { headers })
  expect(await response.json()).toEqual({ isStored: false, runs: [], hasMore: false, schedules: [] })
  await other.close()
  await listening.close()
})
