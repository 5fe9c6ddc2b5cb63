import { type Database, openDatabase, table } from '@sdk/database'
import {
  belongsTo,
  createApp,
  createLog,
  createResource,
  createRouter,
  memoryStore,
  openapi,
  relate,
} from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { SECRET } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'

describe('auth.profiles', () => {
  let database: Database
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
  })
  afterAll(() => database.close())

  const open = () =>
    createAuth({
      database,
      secret: SECRET,
      throttle: false,
      userFields: { level: { type: 'number' }, note: { type: 'string', returned: false } },
    })

  it.each(['table', 'memory'])('add chosen fields of users to rows in a %s, and nothing else', async (kind) => {
    const auth = open()
    const email = (name: string) => `${name}-${kind}@example.com`
    const ada = await auth.users.create({ name: 'Ada', email: email('ada'), level: 7, note: 'secret' })
    const bob = await auth.users.create({ name: 'Bob', email: email('bob'), image: 'https://x.test/b.png' })
    const articles = createResource('articles', {
      schema: z.object({ title: z.string().max(20), authorId: z.string().max(50).nullable() }),
      store: kind === 'table' ? table('articles', { database }) : memoryStore(),
      access: 'public',
    })
    const author = belongsTo(auth.profiles({ fields: ['name', 'image', 'level'] }), 'authorId')
    type Author = { id: string } & { name: string; image: string | null; level: number | null }
    expectTypeOf(author['~value']).toEqualTypeOf<Author | null>()
    const router = createRouter().resource('v1', relate(articles, { author }))
    const app = createApp({ router, rateLimit: false, log: createLog({ write() {} }) })
    for (const authorId of [ada.id, bob.id, ada.id, 'nobody', 'a\0b', null])
      await articles.store.create?.({
        title: 'x',
        authorId: kind === 'table' ? (authorId?.replace('\0', '') ?? null) : authorId,
      })
    const get = async (path: string) =>
      (await (await app.fetch(new Request(`http://x.test/api/v1/${path}`))).json()) as { data: { author: unknown }[] }
    const { data } = await get('articles?expand=author')
    const [one, other] = [
      { id: ada.id, name: 'Ada', image: null, level: 7 },
      { id: bob.id, name: 'Bob', image: 'https://x.test/b.png', level: null },
    ]
    expect(data.map((row) => row.author)).toEqual([one, other, one, null, null, null])
    expect(await get('articles/2?expand=author')).toMatchObject({ author: other })
    await auth.close()
  })

  it('are described in the OpenAPI document', async () => {
    const auth = open()
    const articles = createResource('articles', {
      schema: z.object({ authorId: z.string() }),
      store: memoryStore(),
      access: 'public',
    })
    const author = belongsTo(auth.profiles({ fields: ['name', 'level'] }), 'authorId')
    const app = createApp({ router: createRouter().resource('v1', relate(articles, { author })) })
    const { schemas } = (await openapi(app)).components
    expect(schemas['Profile']).toMatchObject({
      required: ['id', 'name', 'level'],
      properties: { id: { type: 'string' }, name: { type: 'string' }, level: { type: ['number', 'null'] } },
    })
    expect(schemas['ArticleExpanded']).toHaveProperty('properties.author.anyOf.0.$ref', '#/components/schemas/Profile')
    await auth.close()
  })

  it('reject fields that do not exist or are not returned, and fields that cannot contain a user id', async () => {
    const auth = open()
    for (const name of ['note', 'password', 'nope'])
      expect(() => auth.profiles({ fields: [name as 'name'] })).toThrow(`got ${name}`)
    const articles = createResource('articles', {
      schema: z.object({ authorId: z.int() }),
      store: memoryStore(),
      access: 'public',
    })
    const author = belongsTo(auth.profiles({ fields: ['name'] }), 'authorId')
    expect(() => relate(articles, { author })).toThrow(
      'authorId of articles contains an id, so it must be of type string',
    )
    // @ts-expect-error -- not returned
    expect(() => auth.profiles({ fields: ['note'] })).toThrow('got note')
    await auth.close()
  })
})
