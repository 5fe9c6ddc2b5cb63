import { openDatabase, table, type Database } from '@sdk/database'
import { createApp, createLog, createResource, createRouter, memoryStore, type Reference } from '@sdk/server'
import { ONE_KIND } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { SECRET } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'

const schema = z.object({ title: z.string().max(50), ownerId: z.string().max(50).nullable() })

function createNotes(name: string, database: Database, references: Record<string, Reference>) {
  return createResource(name, { schema, store: table(name, { database }), access: 'public', references })
}

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`references to users on ${kind}`, () => {
    let database: Database
    beforeAll(async () => {
      database = await open(openDatabase)
    })
    afterAll(() => database.close())

    const openAuth = () => createAuth({ database, secret: SECRET, throttle: false })

    it('reject unknown users, and cascade or restrict their deletion', async () => {
      const auth = openAuth()
      const to = auth.profiles({ fields: ['name'] })
      const notes = createNotes('notes', database, { ownerId: { to, onDelete: 'cascade' } })
      const bills = createNotes('bills', database, { ownerId: { to, onDelete: 'restrict' } })
      const router = createRouter()
        .resource('v1', notes)
        .resource('v1', bills)
        .on('POST /api/both', {
          input: z.object({ ownerId: z.string() }),
          handler: (ctx, { ownerId }) =>
            ctx.transaction(async (tx) => {
              await tx.rows(notes).create({ title: 'inside', ownerId })
              return tx.rows(notes).create({ title: 'inside too', ownerId })
            }),
        })
      const app = createApp({ router, rateLimit: false, log: createLog({ write() {} }) })
      const post = async (path: string, ownerId: string | null): Promise<{ status: number; body: unknown }> => {
        const init = { method: 'POST', headers: { 'content-type': 'application/json' } }
        const body = JSON.stringify(path === 'both' ? { ownerId } : { title: 'x', ownerId })
        const response = await app.fetch(new Request(`http://x.test/api/${path}`, { ...init, body }))
        return { status: response.status, body: await response.json() }
      }
      const [ada, bob] = await Promise.all(
        ['ada', 'bob'].map((name) =>
          auth.users.create({ name, email: `${name}@example.com`, password: 'correct horse' }),
        ),
      )
      const missing = { code: 'REFERENCED', message: 'references a row that does not exist', pointer: '/ownerId' }
      expect(await post('v1/notes', 'nobody')).toMatchObject({ status: 400, body: { error: { details: [missing] } } })
      expect((await post('v1/notes', null)).status).toBe(201)
      expect((await post('v1/notes', ada?.id ?? '')).status).toBe(201)
      expect((await post('v1/bills', bob?.id ?? '')).status).toBe(201)
      expect((await post('both', ada?.id ?? '')).status).toBe(200)
      expect((await post('both', 'nobody')).status).toBe(400)
      await expect(notes.store.create?.({ title: 'x', ownerId: 'nobody' })).rejects.toMatchObject({ status: 400 })

      await auth.users.delete(ada?.id ?? '')
      expect(await database.query('select owner_id from notes')).toEqual([{ owner_id: null }])
      const { token } = await auth.users.createSession(bob?.id ?? '')
      await expect(auth.users.delete(bob?.id ?? '')).rejects.toMatchObject({ status: 409, code: 'CONFLICT' })
      const headers = new Headers({ authorization: `Bearer ${token}` })
      expect(await auth.getSession(headers)).toMatchObject({ session: { userId: bob?.id } })
      expect(await auth.users.verifyPassword('bob@example.com', 'correct horse')).toMatchObject({ id: bob?.id })
      await database.query('delete from bills')
      await auth.users.delete(bob?.id ?? '')
      expect((await notes.store.plan?.())?.changes).toEqual([])
      await app.close()
      await auth.close()
    })

    it('are planned for a table that exists', async () => {
      const auth = openAuth()
      await createNotes('later', database, {}).store.ready?.()
      const to = auth.profiles({ fields: ['name'] })
      const later = createNotes('later', database, { ownerId: { to, onDelete: 'restrict' } })
      createApp({ router: createRouter().resource('v1', later) })
      const sql = (await later.store.plan?.())?.changes.flatMap(({ steps }) => steps.map((step) => step.sql)) ?? []
      expect(sql).toEqual([
        expect.stringContaining('create index concurrently'),
        expect.stringMatching(/foreign key \("owner_id"\) references "user" \("id"\) on delete restrict not valid/),
        expect.stringContaining('validate constraint'),
      ])
      await auth.close()
    })
  })
}

describe('references to users', () => {
  const auth = createAuth({ connectionString: 'postgres://nobody@127.0.0.1:1/x', secret: SECRET })
  const to = auth.profiles({ fields: ['name'] })

  it('reject fields of other types, and stores that cannot enforce them', () => {
    const database = openDatabase('postgres://nobody@127.0.0.1:1/y')
    const create = (store: ReturnType<typeof memoryStore>, ownerId: z.ZodType = z.string()) =>
      createApp({
        router: createRouter().resource(
          'v1',
          createResource('notes', {
            schema: z.object({ ownerId }) as never,
            store,
            access: 'public',
            references: { ownerId: { to, onDelete: 'cascade' } } as never,
          }),
        ),
      })
    expect(() => create(table('notes', { database }), z.int())).toThrow(
      'references.ownerId contains an id, so it must be of type string, got integer',
    )
    expect(() => create(table('notes', { database }))).toThrow('both must be tables in the same database')
    expect(() => create(memoryStore())).toThrow('references cannot be enforced')
  })
})
