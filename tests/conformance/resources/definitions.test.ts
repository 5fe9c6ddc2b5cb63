import { createApp, createResource, createRouter, memoryStore, type Resource } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, startService } from './service.ts'
import { createTasks } from './showcase.ts'
import { distinctStores } from './stores.ts'

const schema = z.object({ title: z.string().max(100), tags: z.array(z.string()).default([]) })
const define = (name: string, more: object = {}): Resource =>
  createResource(name, { schema, store: memoryStore(), access: 'public', ...more })

describe('a definition', () => {
  it.each(['Tasks', 'line-items', 'line_items', '1tasks', '', 'tâches', 'a/b', 'tasks '])(
    'has a name in camelCase, not %j',
    (name) => {
      expect(() => define(name)).toThrow(TypeError)
    },
  )

  it.each<[what: string, more: object]>([
    ['no access', { access: undefined }],
    ['access that is none', { access: 'everybody' }],
    ['no store', { store: undefined }],
    ['no schema', { schema: undefined }],
    ['a schema that is no object', { schema: z.string() }],
    ['a filter by nothing', { filter: ['nope'] }],
    ['a sort by nothing', { sort: ['nope'] }],
    ['a sort by lists', { sort: ['tags'] }],
    ['a filter by lists', { filter: ['tags'] }],
    ['a unique nothing', { unique: ['nope'] }],
    ['an id of its own', { schema: z.object({ id: z.int() }) }],
    ['a time of its own', { schema: z.object({ createdAt: z.string() }) }],
  ])('with %s is an error at once', (_what, more) => {
    expect(() => define('tasks', more)).toThrow(TypeError)
  })

  it('is there once', () => {
    const router = createRouter().resource('v1', define('tasks')).resource('v1', define('tasks'))
    expect(() => createApp({ router })).toThrow(/tasks/)
    const both = createRouter().resource('v1', define('tasks')).resource('v2', define('tasks'))
    expect(() => createApp({ router: both })).not.toThrow()
  })

  it.each(['1', 'v', 'v1.0', 'V1', 'v-1', 'v1/x'])('is in a version, not in %j', (version) => {
    expect(() => createRouter().resource(version as 'v1', define('tasks'))).toThrow(TypeError)
  })
})

describe.each(distinctStores)('a name of two words on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open) =>
      router
        .resource('v1', createTasks('lineItems', await open.source('tasks', 'line_items')))
        .resource('v10', createTasks('tasks', await open.source('tasks', 'tasks')), { deprecated: '2026-01-01' }),
  })

  it('is written as it is defined', async () => {
    const { path } = await service.make({ title: 'Tea' }, { path: '/api/v1/lineItems' })
    expect((await service.call(`GET ${path}`)).status).toBe(200)
    for (const other of ['/api/v1/lineitems', '/api/v1/line-items', '/api/v1/line_items'])
      expectFailure(await service.call(`GET ${other}`), 404, 'NOT_FOUND')
  })

  it('is in the document of its version, and no other', async () => {
    const answer = await service.call('GET /api/v1/openapi.json')
    expect([answer.status, bodyOf(answer)['openapi']]).toEqual([200, '3.1.1'])
    const operations = operationsOf(answer.body)
    expect(operations.map(({ route }) => route).toSorted()).toEqual([
      'delete /api/v1/lineItems/{id}',
      'get /api/v1/lineItems',
      'get /api/v1/lineItems/{id}',
      'patch /api/v1/lineItems/{id}',
      'post /api/v1/lineItems',
      'put /api/v1/lineItems/{id}',
    ])
    const names = operations.map(({ operationId }) => operationId.replace(/LineItems?$/, '')).toSorted()
    expect(names).toEqual(['create', 'delete', 'get', 'list', 'replace', 'update'])
    expect(operations.some(({ deprecated }) => deprecated === true)).toBe(false)
    expect(answer.body).not.toContain('"default":null')
    const old = operationsOf((await service.call('GET /api/v10/openapi.json')).body)
    expect(old.length).toBe(6)
    expect(old.every(({ deprecated }) => deprecated === true)).toBe(true)
    expectFailure(await service.call('GET /api/v3/openapi.json'), 404, 'NOT_FOUND')
  })
})

interface Operation {
  readonly route: string
  readonly operationId: string
  readonly deprecated?: boolean
}

function operationsOf(document: string): Operation[] {
  const { paths } = JSON.parse(document) as { paths: Record<string, Record<string, Omit<Operation, 'route'>>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => 'operationId' in operation)
      .map(([method, operation]) => ({ ...operation, route: `${method} ${path}` })),
  )
}
