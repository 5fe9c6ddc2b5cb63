import { expect, it } from 'vitest'
import { z } from 'zod'
import { createApp, createResource, createRouter, memoryStore } from '../index.ts'
import { testApp } from '../testing.ts'
import { silent } from './live-app.test.fixture.ts'
import { LiveClient } from './live-client.test.fixture.ts'

function createTasks() {
  const access = 'public' as const
  return createResource('tasks', {
    schema: z.object({ title: z.string().max(50) }),
    store: memoryStore(),
    access,
    live: true,
  })
}

it('shows the number of lists, subscriptions and changes', async () => {
  const plain = createApp({ log: silent, metrics: true, router: createRouter().resource('v1', createTasks()) })
  const app = await testApp(plain)
  const client = await LiveClient.open(app)
  const list = await client.subscribe('GET /api/v1/tasks')
  await client.subscribe('GET /api/v1/tasks')
  await app.call('POST /api/v1/tasks', { title: 'a' })
  await client.until(() => list.counts.changes === 1)
  const text = await (await plain.fetch(new Request('http://a/metrics'))).text()
  expect(text).toMatch(/^live_subscriptions 2$/m)
  expect(text).toMatch(/^live_lists 1$/m)
  expect(text).toMatch(/^live_advances_total 1$/m)
  expect(text).toMatch(/^live_tick_seconds_total [\d.e-]+$/m)
  expect(plain['~live'].inspect()).toMatchObject({
    lists: [
      {
        route: 'GET /api/v1/tasks',
        target: '/api/v1/tasks',
        where: {},
        members: 2,
        version: 2,
        woken: { by: 'tasks', at: expect.closeTo(Date.now(), -5) },
      },
    ],
    subscriptions: 2,
    stats: { heldBytes: expect.any(Number) },
  })
  await app.close()
})

it('keeps only hashes if the rows of all lists are too large', async () => {
  const plain = createApp({ log: silent, router: createRouter().resource('v1', createTasks()) })
  plain['~live'].settings.maxHeldBytes = 100
  const app = await testApp(plain)
  for (const title of ['a', 'b', 'c']) await app.call('POST /api/v1/tasks', { title })
  const client = await LiveClient.open(app)
  const list = await client.subscribe('GET /api/v1/tasks', { query: { limit: 2, sort: '-id' } })
  expect(plain['~live'].inspect().stats.heldBytes).toBe(0)
  await app.call('PATCH /api/v1/tasks/:id', { title: 'bb' }, { params: { id: 2 } })
  await client.until(() => list.counts.changes === 1)
  await app.call('DELETE /api/v1/tasks/:id', { params: { id: 3 } })
  await client.until(() => list.counts.changes === 2)
  expect(list.data).toEqual(await app.call('GET /api/v1/tasks', { query: { limit: 2, sort: '-id' } }))
  expect(plain['~live'].inspect().stats).toMatchObject({ advances: 0, heldBytes: 0 })
  client.end(list)
  await client.close()
  await app.close()
})

it('keeps no rows of lists whose subscriptions ended during a read, and no texts of single rows', async () => {
  const tasks = createTasks()
  const read = tasks.store.list?.bind(tasks.store)
  let isReading = false
  let proceed = (): void => {}
  const gate = new Promise<void>((resolve) => (proceed = resolve))
  Object.assign(tasks.store, {
    async list(...options: Parameters<NonNullable<typeof read>>) {
      isReading = true
      await gate
      return read?.(...options)
    },
  })
  const plain = createApp({ log: silent, router: createRouter().resource('v1', tasks) })
  const app = await testApp(plain)
  await app.call('POST /api/v1/tasks', { title: 'a' })
  const client = await LiveClient.open(app)
  const { inspect } = plain['~live']
  client.send({ sub: 100, route: 'GET /api/v1/tasks' })
  await expect.poll(() => isReading).toBe(true)
  client.send({ end: 100 })
  await expect.poll(() => inspect().subscriptions).toBe(0)
  proceed()
  const row = await client.subscribe('GET /api/v1/tasks/:id', { params: { id: 1 } })
  expect(inspect().stats.heldBytes).toBe(0)
  await app.call('PATCH /api/v1/tasks/:id', { title: 'b' }, { params: { id: 1 } })
  await client.until(() => (row.data as { title: string }).title === 'b')
  const list = await client.subscribe('GET /api/v1/tasks')
  expect(inspect().stats.heldBytes).toBeGreaterThan(0)
  client.end(list)
  await client.until(() => inspect().stats.heldBytes === 0)
  await app.close()
})
