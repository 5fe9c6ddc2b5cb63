import { expect, it } from 'vitest'
import { z } from 'zod'
import { createApp, createResource, createRouter, memoryStore } from '../index.ts'
import { testApp } from '../testing.ts'
import { connectReader, until } from './reader.test.fixture.ts'
import { silent } from './live-app.test.fixture.ts'

it('does not delay the other clients, and gets all data when it reads again', async () => {
  const tasks = createResource('tasks', {
    schema: z.object({ title: z.string().max(50) }),
    store: memoryStore(),
    access: 'public',
    live: true,
  })
  const plain = createApp({ log: silent, rateLimit: false, router: createRouter().resource('v1', tasks) })
  const app = await testApp(plain)
  await app.call('POST /api/v1/tasks', { title: 'a' })
  const readers = await Promise.all(Array.from({ length: 1_000 }, () => connectReader(plain)))
  for (const { connection } of readers) connection.receive('{"sub":1,"route":"GET /api/v1/tasks"}')
  await until(() => readers.every(({ texts }) => texts.length === 1))
  expect(plain['~live'].inspect().lists).toMatchObject([{ members: 1_000 }])
  // The snapshot of all clients needs only a few reads.
  expect(plain['~live'].inspect().lists[0]?.reads).toBeLessThan(50)
  const [slow, ...others] = readers
  if (slow === undefined) throw new Error('no readers')
  slow.buffered = 2 * 1_048_576
  for (let round = 1; round <= 20; round += 1) {
    await app.call('PATCH /api/v1/tasks/:id', { title: `${round}` }, { params: { id: 1 } })
    await until(() => others.every(({ texts }) => texts.length === round + 1))
  }
  expect(slow.texts).toHaveLength(1)
  slow.buffered = 0
  slow.connection.onDrain()
  await until(() => slow.texts.some((text) => text.includes('"title":"20"')))
  const last = JSON.parse(slow.texts.at(-1) ?? '') as { all: unknown }
  expect(last.all).toEqual(await app.call('GET /api/v1/tasks'))
  // None of the changes was kept.
  expect(slow.texts).toHaveLength(2)
  await app.close()
})
