import { createApp, createLog, createResource, createRouter, memoryStore, serve } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { temporaryFolder } from '@sdk/test-kit'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { LiveState } from '../api.ts'
import { workbenchHeaders } from '../guard.ts'
import type { WorkbenchApp } from '../manifest.ts'
import { openRecording } from '../recording.ts'
import { createWorkbench } from '../workbench.ts'

const TOKEN = 'x'.repeat(43)
const log = createLog({ write: () => {} })

/** Serves the workbench of an app. Returns a function that fetches the live data. */
async function open(app: WorkbenchApp): Promise<(headers?: Record<string, string>) => Promise<Response>> {
  const recording = openRecording({ root: temporaryFolder('live-routes').path })
  const workbench = createWorkbench({ app, recording, log, token: TOKEN })
  const server = await serve(createApp({ log }), { port: 0, fallback: workbench.handle })
  onTestFinished(async () => {
    await workbench.close()
    await server.close()
    await recording.close()
  })
  return (headers = { ...workbenchHeaders(server.url, TOKEN) }) =>
    fetch(`${server.url}/_workbench/api/live`, { headers })
}

it('returns the lists with their subscribers and last change, only to callers with the token', async () => {
  const tasks = createResource('tasks', {
    schema: z.object({ title: z.string().max(50), ownerId: z.string().max(50) }),
    store: memoryStore(),
    access: ({ user, action }) => action === 'create' || (user !== null && { ownerId: user.id }),
    live: true,
  })
  const app = createApp({ log, router: createRouter().resource('v1', tasks) })
  const test = await testApp(app)
  onTestFinished(() => test.close())
  const ada = test.as({ id: 'ada', name: 'Ada' })
  const socket = await ada.socket('/ws/_live')
  for (const sub of [1, 2]) {
    socket.send({ sub, route: 'GET /api/v1/tasks', query: { limit: 5 } })
    await socket.next()
  }
  await ada.call('POST /api/v1/tasks', { title: 'a', ownerId: 'ada' })
  await socket.next()
  const request = await open(app)
  const state = (await (await request()).json()) as LiveState
  expect(state).toMatchObject({ subscriptions: 2, total: 1, stats: { advances: 1 } })
  expect(state.stats.ticks).toBeGreaterThan(0)
  expect(state.lists).toMatchObject([
    {
      route: 'GET /api/v1/tasks',
      target: '/api/v1/tasks?limit=5',
      where: { ownerId: 'ada' },
      members: 2,
      version: 2,
      woken: { by: 'tasks', at: expect.any(Number) },
    },
  ])
  expect((await request({})).status).toBe(401)
})

it('returns at most 200 lists', async () => {
  const list = { id: 'g', route: 'GET /a', target: '/a', where: null, members: 1, version: 1, reads: 1, woken: null }
  const stats = { ticks: 0, tickMs: 0, lastTickMs: 0, reads: 0, advances: 0, heldBytes: 0 }
  const inspect = () => ({ lists: Array.from({ length: 300 }, () => list), subscriptions: 300, stats })
  const state = (await (await (await open({ routes: [], '~live': { inspect } }))()).json()) as LiveState
  expect([state.lists.length, state.total, state.subscriptions]).toEqual([200, 300, 300])
})

it('returns no lists while there is no app', async () => {
  const state = (await (await (await open({ routes: [] }))()).json()) as LiveState
  expect(state).toMatchObject({ lists: [], total: 0, subscriptions: 0 })
})
