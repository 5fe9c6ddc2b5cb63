import { describe, expect, it } from 'vitest'
import type { Manifest } from '../../manifest.ts'
import { toSidebarItems } from './sidebar-items.ts'

type Kind = Manifest['routes'][number]['kind']

function items(routes: Readonly<Record<string, Kind>>, broken: readonly string[] = []): string[] {
  const problems = broken.map((route) => ({ route, message: 'x', file: 'x.ts', place: null, frame: '' }))
  const infos = Object.entries(routes).map(([route, kind]) => ({ route, kind, description: undefined }))
  return toSidebarItems({ routes: infos, problems }).map(
    ({ kind, name, isBroken }) => `${kind} ${name}${isBroken ? ' broken' : ''}`,
  )
}

describe('toSidebarItems', () => {
  it('creates one item for all routes of a resource', () => {
    const routes = { 'GET /api/v1/tasks': 'resource', 'DELETE /api/v1/tasks/:id': 'resource' } as const
    expect(items(routes)).toEqual(['resource tasks'])
    const [line] = toSidebarItems({
      routes: Object.entries(routes).map(([route, kind]) => ({ route, kind, description: undefined })),
      problems: [],
    })
    expect(line?.href).toBe('/routes?route=GET%20%2Fapi%2Fv1%2Ftasks')
    expect(line?.pages).toHaveLength(2)
  })

  it('sorts routes by path, with an item for each method', () => {
    expect(items({ 'POST /api/b': 'route', 'GET /api/b': 'route', 'POST /api/a': 'route' })).toEqual([
      'route POST /api/a',
      'route GET /api/b',
      'route POST /api/b',
    ])
  })

  it('marks files that fail to load, and lists those that never loaded', () => {
    expect(items({ 'POST /agent/echo': 'agent' }, ['POST /agent/echo', 'POST /agent/new', '/ws/chat'])).toEqual([
      'agent echo broken',
      'agent new broken',
      'socket /ws/chat broken',
    ])
  })

  it('marks all routes below a path that fails to load', () => {
    const routes = { 'GET /api/status': 'route', 'GET /api/v1/tasks': 'resource', 'POST /agent/echo': 'agent' } as const
    expect(items(routes, ['/api/*'])).toEqual(['agent echo', 'route GET /api/status broken', 'resource tasks broken'])
  })
})
