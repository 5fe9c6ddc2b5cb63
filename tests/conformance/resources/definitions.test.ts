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

describe('a resource definition', () => {
  it.each(['Tasks', 'line-items', 'line_items', '1tasks', '', 'tâches', 'a/b', 'tasks '])(
    'throws if the name is not in camelCase: %j',
    (name) => {
      expect(() => define(name)).toThrow(TypeError)
    },
  )

  it.each<[name: string, more: object]>([
    ['no access', { access: undefined }],
    ['unknown access', { access: 'everybody' }],
    ['no store', { store: undefined }],
    ['no schema', { schema: undefined }],
    ['a schema that is not an object', { schema: z.string() }],
    ['a filter by an unknown field', { filter: ['nope'] }],
    ['a sort by an unknown field', { sort: ['nope'] }],
    ['a sort by a list', { sort: ['tags'] }],
    ['a filter by a list', { filter: ['tags'] }],
    ['an unknown unique field', { unique: ['nope'] }],
    ['an id in the schema', { schema: z.object({ id: z.int() }) }],
    ['createdAt in the schema', { schema: z.object({ createdAt: z.string() }) }],
  ])('throws with %s', (_name, more) => {
    expect(() => define('tasks', more)).toThrow(TypeError)
  })

  it('throws in createApp if the name is used twice in a version', () => {
    const router = createRouter().resource('v1', define('tasks')).resource('v1', define('tasks'))
    expect(() => createApp({ router })).toThrow(/tasks/)
    const both = createRouter().resource('v1', define('tasks')).resource('v2', define('tasks'))
    expect(() => createApp({ router: both })).not.toThrow()
  })

  it.each(['1', 'v', 'v1.0', 'V1', 'v-1', 'v1/x'])('throws if the version is %j', (version) => {
    expect(() => createRouter().resource(version as 'v1', define('tasks'))).toThrow(TypeError)
  })
})

describe.each(distinctStores)('a resource name of two words on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open) =>
      router
        .resource('v1', createTasks('lineItems', await open.source('tasks', 'line_items')))
        .resource('v10', createTasks('tasks', await open.source('tasks', 'tasks')), { deprecated: '2026-01-01' }),
  })

  it('is used unchanged in the path', async () => {
    const { path } = await service.make({ title: 'Tea' }, { path: '/api/v1/lineItems' })
    expect((await service.call(`GET ${path}`)).status).toBe(200)
    for (const other of ['/api/v1/lineitems', '/api/v1/line-items', '/api/v1/line_items'])
      expectFailure(await service.call(`GET ${other}`), 404, 'NOT_FOUND')
  })

  it('is only in the OpenAPI document of its version', async () => {
    const response = await service.call('GET /api/v1/openapi.json')
    expect([response.status, bodyOf(response)['openapi']]).toEqual([200, '3.1.1'])
    const operations = operationsOf(response.body)
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
    expect(response.body).not.toContain('"default":null')
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
