import { describe, expect, it } from 'vitest'
import { readOperationInfo } from './operation-info.ts'
import { createApiApp, readDocument } from './api.test.fixture.ts'
import { filterRouteGroups, majorsOf, toRouteGroups, type RouteGroup } from './route-groups.ts'

async function readGroups(): Promise<readonly RouteGroup[]> {
  const app = createApiApp()
  return toRouteGroups(app.routes, [await readDocument(app, 1), await readDocument(app, 2)])
}

const namesOf = (groups: readonly RouteGroup[]): unknown =>
  groups.map(({ name, entries }) => [name, entries.map(({ route }) => route)])

describe('toRouteGroups', () => {
  it('groups routes by resource, lists other routes last, and omits agents', async () => {
    expect(namesOf(await readGroups())).toEqual([
      ['figures', ['GET /api/v2/figures', 'GET /api/v2/figures/:id']],
      [
        'tasks',
        [
          'GET /api/v1/tasks',
          'POST /api/v1/tasks',
          'GET /api/v1/tasks/:id',
          'PUT /api/v1/tasks/:id',
          'PATCH /api/v1/tasks/:id',
          'DELETE /api/v1/tasks/:id',
        ],
      ],
      ['routes', ['GET /api/auth/*', 'POST /api/auth/*', 'POST /api/folders', 'GET /api/status']],
    ])
  })

  it('adds the documentation of each route, if there is one', async () => {
    const [figures, tasks, routes] = await readGroups()
    expect(tasks).toMatchObject({ description: 'What is to be done', isResource: true })
    expect(tasks?.entries[0]?.description).toBe('Lists tasks, page by page.')
    const unknown = routes?.entries.filter(({ operation }) => operation === null)
    expect(unknown?.map(({ route }) => route)).toEqual(['GET /api/auth/*', 'POST /api/auth/*'])
    expect(figures?.entries[0]?.operation?.summary).toBe('GET /api/v2/figures')
  })

  it('groups routes without an OpenAPI document', () => {
    const groups = toRouteGroups(createApiApp().routes, [])
    expect(groups.map(({ name, entries }) => [name, entries.length])).toEqual([
      ['figures', 2],
      ['tasks', 6],
      ['routes', 4],
    ])
  })
})

describe('toRouteGroups with auth routes', () => {
  const body = { type: 'object', properties: { email: { type: 'string' } }, required: ['email'] }
  const query = { type: 'object', properties: { token: { type: 'string' } }, required: ['token'] }
  const authRoutes = [
    { route: 'POST /api/auth/sign-in/email', description: 'Signs in', body, query: null },
    { route: 'GET /api/auth/verify-email', description: undefined, body: null, query },
    { route: 'POST /elsewhere/sign-in', description: undefined, body: null, query: null },
  ]

  it('adds them to a separate group with their body and query', () => {
    const groups = toRouteGroups(createApiApp().routes, [], authRoutes)
    const entries = groups.find(({ name }) => name === 'auth')?.entries ?? []
    expect(entries.map(({ route }) => route)).toEqual([
      'GET /api/auth/*',
      'POST /api/auth/*',
      'POST /api/auth/sign-in/email',
      'GET /api/auth/verify-email',
    ])
    const infos = entries.slice(2).map(readOperationInfo)
    expect(infos[0]).toMatchObject({ isDocumented: true, body, query: [] })
    expect(infos[1]).toMatchObject({ body: null, query: [{ name: 'token', required: true }] })
  })
})

describe('filterRouteGroups', () => {
  it('finds routes by their method, path or description', async () => {
    const groups = await readGroups()
    expect(namesOf(filterRouteGroups(groups, ' delete '))).toEqual([['tasks', ['DELETE /api/v1/tasks/:id']]])
    expect(namesOf(filterRouteGroups(groups, 'page by page'))).toEqual([
      ['figures', ['GET /api/v2/figures']],
      ['tasks', ['GET /api/v1/tasks']],
    ])
    expect(filterRouteGroups(groups, '')).toEqual(groups)
    expect(filterRouteGroups(groups, 'nothing has this')).toEqual([])
  })
})

describe('majorsOf', () => {
  it('returns each version of the API once', () => {
    expect(majorsOf(createApiApp().routes)).toEqual([1, 2])
    expect(majorsOf([])).toEqual([1])
  })
})
