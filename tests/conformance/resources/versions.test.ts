import { createRouter, memoryStore } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { expectFailure } from '../http/expect-failure.ts'
import { bodyOf, startService } from './service.ts'
import { createTasks } from './showcase.ts'
import { distinctStores } from './stores.ts'

const OLD = {
  deprecated: '2026-01-01',
  sunset: '2199-01-01T00:00:00Z',
  successor: '/api/v2/tasks',
  documentation: 'https://example.test/moving',
}
const ENDED = { deprecated: '2020-01-01', sunset: '2021-01-01T00:00:00Z', successor: '/api/v2/chores' }

describe.each(distinctStores)('versions of a resource on $store', (kind) => {
  const service = startService(kind, {
    routes: async (router, open) =>
      router
        .resource('v1', createTasks('tasks', await open.source('tasks', 'old_tasks')), OLD)
        .resource('v2', createTasks('tasks', await open.source('tasks', 'tasks')))
        .resource('v1', createTasks('chores', await open.source('tasks', 'chores')), ENDED),
  })
  const LINKS = '</api/v2/tasks>; rel="successor-version", <https://example.test/moving>; rel="deprecation"'

  it('that are deprecated send the deprecation headers with every response', async () => {
    const { item } = await service.make({ title: 'Tea' }, { path: '/api/v1/tasks' })
    const path = `/api/v1/tasks/${item.id}`
    const responses = [
      await service.call('GET /api/v1/tasks'),
      await service.call(`GET ${path}`),
      await service.call(`HEAD ${path}`),
      await service.call(`GET ${path}`, { headers: { 'If-None-Match': '*' } }),
      await service.call('POST /api/v1/tasks', { body: { title: 'Tea' } }),
      await service.call(`PATCH ${path}`, { body: {} }),
      await service.call(`PUT ${path}`, { body: { title: 'Milk' } }),
      await service.call(`DELETE ${path}`),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 304, 201, 200, 200, 200])
    for (const { headers } of responses) {
      expect(headers).toMatchObject({ deprecation: '@1767225600', sunset: 'Tue, 01 Jan 2199 00:00:00 GMT' })
      expect(headers['link']).toContain(LINKS)
    }
  })

  it('that are deprecated send their links together with those of a page', async () => {
    for (const title of ['a', 'b', 'c']) await service.make({ title }, { path: '/api/v1/tasks' })
    const { headers } = await service.call('GET /api/v1/tasks?limit=1')
    expect(headers['link']).toMatch(/<\/api\/v1\/tasks\?limit=1&cursor=[^>]+>; rel="next"/)
    expect(headers['link']).toContain(LINKS)
  })

  it('that are current send no deprecation headers', async () => {
    const { path } = await service.make({ title: 'Tea' }, { path: '/api/v2/tasks' })
    const { headers } = await service.call(`GET ${path}`)
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['deprecation']))
    expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['sunset']))
    expect(headers).not.toHaveProperty('link')
  })

  it('use their own path in Location and Link', async () => {
    const created = await service.call('POST /api/v2/tasks', { body: { title: 'Tea' } })
    expect(created.headers['location']).toBe(`/api/v2/tasks/${String(bodyOf(created)['id'])}`)
    await service.make({ title: 'Milk' }, { path: '/api/v2/tasks' })
    const page = await service.call('GET /api/v2/tasks?limit=1')
    expect(page.headers['link']).toMatch(/^<\/api\/v2\/tasks\?limit=1&cursor=[^>]+>; rel="next"$/)
  })

  it.each([
    ['GET', ''],
    ['POST', ''],
    ['GET', '/1'],
    ['GET', '/abc'],
    ['PUT', '/1'],
    ['PATCH', '/1'],
    ['DELETE', '/1'],
  ])('after their sunset return 410: %s %s', async (method, id) => {
    const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { body: { title: 'Tea' } } : {}
    const response = await service.call(`${method} /api/v1/chores${id}`, body)
    expectFailure(response, 410, 'GONE')
    expect(response.headers).toMatchObject({
      sunset: 'Fri, 01 Jan 2021 00:00:00 GMT',
      link: '</api/v2/chores>; rel="successor-version"',
    })
  })

  it('that are unknown return 404', async () => {
    for (const path of ['/api/v3/tasks', '/api/v2/chores', '/api/v0/tasks', '/api/v/tasks'])
      expectFailure(await service.call(`GET ${path}`), 404, 'NOT_FOUND')
  })

  it('cannot end earlier than six months after their deprecation', () => {
    const tasks = createTasks('tasks', memoryStore())
    const router = createRouter()
    expect(() => router.resource('v1', tasks, { deprecated: '2026-01-01', sunset: '2026-05-31' })).toThrow(TypeError)
    expect(() => router.resource('v1', tasks, { sunset: '2026-05-31' })).toThrow(TypeError)
    expect(() => router.resource('v1', tasks, { deprecated: '2026-01-01', sunset: '2026-07-01' })).not.toThrow()
  })
})
