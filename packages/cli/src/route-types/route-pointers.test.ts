import { countOf, createResource, createRouter, createSocket, memoryStore, relate, type Router } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { findRoutePointers } from './route-pointers.ts'

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string(), parentId: z.int().optional() }),
  store: memoryStore(),
  access: 'public',
})
const chat = createSocket({})

describe('findRoutePointers', () => {
  it('finds the nearest exported router of a route, and the route within that router', () => {
    const deep = createRouter().on('GET|POST /:id', () => 1)
    const inner = createRouter()
      .on('GET /', () => 1)
      .on('GET /a', () => 1)
      .mount('/deep', deep)
    const api = createRouter()
      .on('GET /api/status', () => 1)
      .mount('/api/inner', inner)
    expect(at(api, { 'index.ts': { default: api }, 'inner.ts': { inner, other: 1 }, 'deep.ts': { deep } })).toEqual({
      'GET /api/status': 'index.ts default GET /api/status',
      'GET /api/inner': 'inner.ts inner GET /',
      'GET /api/inner/a': 'inner.ts inner GET /a',
      'GET /api/inner/deep/:id': 'deep.ts deep GET /:id',
      'POST /api/inner/deep/:id': 'deep.ts deep POST /:id',
    })
  })

  it('uses the parent of a router that is not exported', () => {
    const api = createRouter().mount(
      '/api',
      createRouter().on('GET /a', () => 1),
    )
    expect(at(api, { 'index.ts': { default: api } })).toEqual({ 'GET /api/a': 'index.ts default GET /api/a' })
  })

  it('finds the resource with relations, which is mounted in place of the other', () => {
    const tasksWith = relate(tasks, { count: countOf(tasks, 'parentId') })
    const api = createRouter().resource('v1', tasksWith)
    const found = at(api, { 'index.ts': { default: api }, 'relations.ts': { tasksWith }, 'tasks.ts': { tasks } })
    expect(found['GET /api/v1/tasks']).toBe('relations.ts tasksWith GET /api/v1/tasks')
  })

  it('finds exported resources and sockets without their router', () => {
    const api = createRouter().resource('v2', tasks).socket('/ws/chat', chat)
    expect(at(api, { 'index.ts': { default: api }, 'tasks.ts': { tasks }, 'chat.ts': { default: chat } })).toEqual({
      'GET /api/v2/tasks': 'tasks.ts tasks GET /api/v2/tasks',
      'POST /api/v2/tasks': 'tasks.ts tasks POST /api/v2/tasks',
      'GET /api/v2/tasks/:id': 'tasks.ts tasks GET /api/v2/tasks/:id',
      'PUT /api/v2/tasks/:id': 'tasks.ts tasks PUT /api/v2/tasks/:id',
      'PATCH /api/v2/tasks/:id': 'tasks.ts tasks PATCH /api/v2/tasks/:id',
      'DELETE /api/v2/tasks/:id': 'tasks.ts tasks DELETE /api/v2/tasks/:id',
      '/ws/chat': 'chat.ts default /ws/chat',
    })
  })

  it('finds the routes of a key in the resource', () => {
    const pages = createResource('pages', {
      schema: z.object({ slug: z.string() }),
      store: memoryStore(),
      access: 'public',
      key: 'slug',
    })
    const api = createRouter().resource('v1', pages)
    const found = at(api, { 'index.ts': { default: api }, 'pages.ts': { pages } })
    const byKey = Object.entries(found).filter(([route]) => route.endsWith(' /api/v1/pages/by-slug/:slug'))
    expect(byKey.map(([route]) => route.split(' ')[0])).toEqual(['GET', 'PUT', 'PATCH', 'DELETE'])
    expect(byKey.map(([route, pointer]) => pointer === `pages.ts pages ${route}`)).toEqual([true, true, true, true])
  })

  it('leaves out values without a usable export name', () => {
    const api = createRouter().resource('v1', tasks).socket('/ws/chat', chat)
    expect(at(api, { 'index.ts': { default: api, 'a-b': chat } })).toEqual({})
  })

  it('distinguishes routes that share a definition', () => {
    const definition = { handler: () => 1 }
    const api = createRouter().on('GET /api/a', definition).on('GET /api/b', definition)
    expect(at(api, { 'index.ts': { default: api } })).toEqual({
      'GET /api/a': 'index.ts default GET /api/a',
      'GET /api/b': 'index.ts default GET /api/b',
    })
  })

  it('chooses between two names deterministically', () => {
    const inner = createRouter().on('GET /a', () => 1)
    const api = createRouter().mount('/api', inner)
    const one = at(api, { 'b.ts': { inner }, 'a.ts': { inner, also: inner } })
    expect(one).toEqual({ 'GET /api/a': 'a.ts also GET /a' })
    expect(at(api, { 'a.ts': { also: inner, inner }, 'b.ts': { inner } })).toEqual(one)
  })
})

function at(api: Router, modules: Record<string, Record<string, unknown>>): Record<string, string> {
  const run = Object.entries(modules).map(([file, exports]) => ({ file, exports }))
  const found = Array.from(findRoutePointers(api, run), ([key, { file, name, route }]) => [
    key,
    `${file} ${name} ${route}`,
  ])
  return Object.fromEntries(found) as Record<string, string>
}
