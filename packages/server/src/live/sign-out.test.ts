import { expect, it } from 'vitest'
import { z } from 'zod'
import {
  createApp,
  createResource,
  createRouter,
  memoryStore,
  type Reply,
  type RequestAuth,
  type SessionMiddleware,
} from '../index.ts'
import { testApp } from '../testing.ts'
import { connectReader, until } from './reader.test.fixture.ts'
import { silent } from './live-app.test.fixture.ts'

const pass = (_ctx: unknown, next: () => Promise<Reply>): Promise<Reply> => next()
const byHeader: SessionMiddleware = Object.assign(pass, {
  credentials: ['x-user'],
  authenticate(headers: { get(name: string): string | null }): RequestAuth | null {
    const id = headers.get('x-user')
    if (id === null) return null
    const user = {
      id,
      name: id,
      email: `${id}@a.example`,
      emailVerified: true,
      image: null,
      createdAt: '',
      updatedAt: '',
    }
    const session = { id: `session of ${id}`, userId: id, expiresAt: '9999-12-31T00:00:00.000Z' }
    return { via: 'bearer', session, getUser: () => Promise.resolve(user) }
  },
})

it('ends the subscriptions of a session, and another user of the same tab sees only own rows', async () => {
  const notes = createResource('notes', {
    schema: z.object({ text: z.string().max(50), ownerId: z.string().max(50) }),
    store: memoryStore(),
    access: ({ user, action }) => (action === 'create' ? true : user === null ? false : { ownerId: user.id }),
    live: true,
  })
  const router = createRouter().use('/api/*', byHeader).resource('v1', notes)
  const plain = createApp({ log: silent, router })
  const app = await testApp(plain)
  const create = (ownerId: string, text: string): Promise<unknown> =>
    app.as({ name: ownerId }).call('POST /api/v1/notes', { text, ownerId })
  await create('ada', 'first of ada')
  const ada = await connectReader(plain, { 'x-user': 'ada' })
  ada.connection.receive('{"sub":1,"route":"GET /api/v1/notes"}')
  await until(() => ada.texts.length === 1)
  expect(ada.texts[0]).toContain('first of ada')
  // The user signs out in another tab: the session ends, and the connection with it.
  plain.sockets.end(['session of ada'])
  await ada.connection.onClose()
  expect(ada.closedWith).toBe(4401)
  expect(plain['~live'].inspect().subscriptions).toBe(0)
  await create('ada', 'second of ada')
  const bob = await connectReader(plain, { 'x-user': 'bob' })
  bob.connection.receive('{"sub":1,"route":"GET /api/v1/notes"}')
  await until(() => bob.texts.length === 1)
  await create('bob', 'first of bob')
  await until(() => bob.texts.length === 2)
  expect(bob.texts.join('')).toContain('first of bob')
  expect([...bob.texts, ...ada.texts.slice(1)].join('')).not.toContain('of ada')
  const guest = await connectReader(plain)
  guest.connection.receive('{"sub":1,"route":"GET /api/v1/notes"}')
  await until(() => guest.texts.length === 1)
  expect(JSON.parse(guest.texts[0] ?? '')).toMatchObject({ sub: 1, status: 401, error: { code: 'UNAUTHORIZED' } })
  await app.close()
})
