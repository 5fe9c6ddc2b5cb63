import { createApp, createResource, createRouter, memoryStore, type AccessRequest, type Router } from '@sdk/server'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, rowOf, startService } from './service.ts'
import type { Stores } from './store-case.ts'
import { stores } from './stores.ts'

const fields = { title: z.string().max(20), parentId: z.int().nullable().optional() }
const ownRows = ({ user }: AccessRequest) => (user ? { ownerId: user.id } : false)
const rest = {
  schema: z.object(fields),
  assign: ({ user }: { user: { id: string } | null }) => ({ ownerId: user?.id ?? '' }),
}

async function addResources(router: Router, sources: Stores): Promise<Router> {
  const source = (name: string) => sources.source('notes', name)
  const [folders, files, pins, trees] = [
    createResource('folders', { ...rest, store: await source('folders'), access: ownRows }),
    createResource('files', {
      ...rest,
      store: await source('files'),
      access: ownRows,
      references: { parentId: { to: 'folders', onDelete: 'cascade' } },
    }),
    createResource('pins', {
      ...rest,
      store: await source('pins'),
      access: 'public',
      references: { parentId: { to: 'files', onDelete: 'restrict' } },
    }),
    createResource('trees', {
      ...rest,
      store: await source('trees'),
      access: 'public',
      references: { parentId: { to: 'trees', onDelete: 'cascade' } },
    }),
  ]
  // The children first, so that their tables are created before those of their parents.
  return router.resource('v1', pins).resource('v1', files).resource('v1', folders).resource('v1', trees)
}

const able = stores.filter(({ store }) => store !== 'drizzleTable()')

describe.each(able)('references on $store', (kind) => {
  const service = startService(kind, { routes: addResources })
  const make = async (name: string, parentId: number | null, as = 'ada'): Promise<number> =>
    (await service.make({ title: name, parentId }, { path: `/api/v1/${name}`, as })).item.id
  const call = (line: string, body?: object, as = 'ada') => service.call(line, { as, ...(body && { body }) })
  let hidden = 0
  beforeAll(async () => {
    hidden = await make('folders', null, 'bob')
  })

  it('rejects an id that leads nowhere and one of a hidden row with the same error', async () => {
    const file = await make('files', await make('folders', null))
    const errors: string[] = []
    for (const parentId of [777_777, hidden, -1, 0]) {
      for (const [line, body] of [
        ['POST /api/v1/files', { title: 'x', parentId }],
        [`PATCH /api/v1/files/${file}`, { parentId }],
        [`PUT /api/v1/files/${file}`, { title: 'x', parentId }],
      ] as const) {
        const answer = await call(line, body)
        expectFailure(answer, 400, 'INVALID_REQUEST')
        expect(bodyOf(answer)).toMatchObject({ error: { details: [{ code: 'REFERENCED', pointer: '/parentId' }] } })
        errors.push(answer.body)
      }
    }
    expect(new Set(errors).size).toBe(1)
    expect((await call('POST /api/v1/files', { title: 'x', parentId: hidden }, 'bob')).status).toBe(201)
  })

  it('accepts null, and keeps an id whose row became hidden', async () => {
    const file = await make('files', null)
    expect((await call(`PATCH /api/v1/files/${file}`, { parentId: await make('folders', null) })).status).toBe(200)
    expect((await call(`PATCH /api/v1/files/${file}`, { title: 'y' })).status).toBe(200)
    expect((await call(`PATCH /api/v1/files/${file}`, { parentId: null })).status).toBe(200)
  })

  it('deletes the rows that refer to a deleted row, at every depth', async () => {
    const folder = await make('folders', null)
    const files = [await make('files', folder), await make('files', folder)]
    const other = await make('files', await make('folders', null))
    expect((await call(`DELETE /api/v1/folders/${folder}`)).status).toBe(200)
    for (const file of files) expectFailure(await call(`GET /api/v1/files/${file}`), 404, 'NOT_FOUND')
    expect((await call(`GET /api/v1/files/${other}`)).status).toBe(200)
    const root = await make('trees', null)
    const inner = [await make('trees', root)]
    for (let depth = 0; depth < 3; depth += 1) inner.push(await make('trees', inner.at(-1) ?? root))
    expect((await call(`PATCH /api/v1/trees/${root}`, { parentId: inner.at(-1) })).status).toBe(200)
    expect((await call(`DELETE /api/v1/trees/${inner[0]}`)).status).toBe(200)
    for (const id of [root, ...inner]) expectFailure(await call(`GET /api/v1/trees/${id}`), 404, 'NOT_FOUND')
  })

  it('rejects the deletion of a row that others refer to, also through a cascade, and deletes nothing', async () => {
    const folder = await make('folders', null)
    const file = await make('files', folder)
    const pin = await make('pins', file)
    for (const path of [`files/${file}`, `folders/${folder}`]) {
      const answer = await call(`DELETE /api/v1/${path}`)
      expectFailure(answer, 409, 'CONFLICT')
      expect(answer.body).toContain('REFERENCED')
      expect((await call(`GET /api/v1/files/${file}`)).status).toBe(200)
    }
    expect((await call(`DELETE /api/v1/pins/${pin}`)).status).toBe(200)
    expect((await call(`DELETE /api/v1/folders/${folder}`)).status).toBe(200)
  })

  it('rejects a row whose parent is deleted at the same time', async () => {
    const folder = await make('folders', null)
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, () => call('POST /api/v1/files', { title: 'x', parentId: folder })),
      call(`DELETE /api/v1/folders/${folder}`),
    ])
    expect(answers.map(({ status }) => status).filter((status) => ![200, 201, 400].includes(status))).toEqual([])
    for (const answer of answers.filter(({ status }) => status === 201))
      expectFailure(await call(`GET /api/v1/files/${rowOf(answer).id}`), 404, 'NOT_FOUND')
  })
})

describe.each(stores)('references that cannot be enforced on $store', (kind) => {
  it('are errors of the definition', async () => {
    const sources = await kind.open()
    const store = await sources.source('notes', 'apart')
    const create = (name: string, definition: object) =>
      createResource(name, { schema: z.object(fields), store, access: 'public', ...definition })
    const references = { parentId: { to: 'boxes', onDelete: 'cascade' } } as const
    const boxes = create('boxes', {
      store: kind.isLasting ? memoryStore() : { list: async () => ({ rows: [] }), get: async () => null },
    })
    const mount =
      (...all: ReturnType<typeof create>[]) =>
      () =>
        createApp({ router: all.reduce((router, one) => router.resource('v1', one) as never, createRouter()) })
    expect(mount(create('things', { references }))).toThrow(
      'references.parentId refers to "boxes", which is not mounted',
    )
    expect(mount(create('things', { references }), boxes)).toThrow(
      /references cannot be enforced|cannot enforce references/,
    )
    expect(mount(create('things', { references, store: { list: async () => ({ rows: [] }) } }), boxes)).toThrow(
      'its store cannot enforce references',
    )
    await sources.close()
  })
})

describe('references', () => {
  it.each([
    [{ title: { to: 'boxes', onDelete: 'cascade' } }, 'references.title contains an id, so it must be of type integer'],
    [
      { nope: { to: 'boxes', onDelete: 'cascade' } },
      'references contains "nope", which is not a field: use title, parentId',
    ],
    [{ parentId: { to: 'boxes' } }, "references.parentId.onDelete must be 'cascade' or 'restrict', got undefined"],
    [{ parentId: { to: 'boxes', onDelete: 'set null' } }, "must be 'cascade' or 'restrict', got set null"],
    [{ parentId: { onDelete: 'cascade' } }, 'references.parentId.to must be the name of a resource'],
  ])('rejects an invalid definition (%#)', (references, message) => {
    const create = createResource as (name: string, definition: unknown) => unknown
    const definition = { schema: z.object(fields), store: memoryStore(), access: 'public', references }
    expect(() => create('things', definition)).toThrow(message)
  })
})
