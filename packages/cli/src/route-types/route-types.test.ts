import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RouteInfo } from '@sdk/server'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import type { Project } from '../discover.ts'
import type { RoutePointer } from './route-pointers.ts'
import { routeTypesFile, toRouteTypes, writeRouteTypes } from './route-types.ts'

const project: Project = {
  root: '/app',
  agents: [{ name: 'summarize', file: '/app/src/agent/summarize/index.ts' }],
  api: '/app/src/api/index.ts',
  web: null,
}

const none = new Map<string, never>()

describe('toRouteTypes', () => {
  it('points to every agent, route, resource and socket, sorted', () => {
    const routes = [
      info('POST /agent/summarize', 'agent'),
      info('GET /api/b/:id'),
      info('GET /api/a'),
      info('GET /api/v1/tasks', 'resource'),
      info('/ws/chat', 'socket'),
    ]
    const pointers = new Map<string, RoutePointer>([
      ['GET /api/b/:id', { file: '/app/src/api/b.ts', name: 'b', kind: 'router', route: 'GET /:id' }],
      [
        'GET /api/v1/tasks',
        { file: '/app/shared/tasks.ts', name: 'tasks', kind: 'resource', route: 'GET /api/v1/tasks' },
      ],
      ['/ws/chat', { file: '/app/src/api/chat.ts', name: 'default', kind: 'socket', route: '/ws/chat' }],
    ])
    expect(toRouteTypes({ project, routes, pointers }))
      .toBe(`/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { ResourceRoutes, RoutesOf } from '@sdk/server'

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/a': RoutesOf<typeof import('./api/index.ts').default>['GET /api/a']
    'GET /api/b/:id': RoutesOf<typeof import('./api/b.ts').b>['GET /:id']
    'GET /api/v1/tasks': ResourceRoutes<'v1', typeof import('../shared/tasks.ts').tasks>['GET /api/v1/tasks']
    'POST /agent/summarize': typeof import('./agent/summarize/index.ts').default
  }
  interface Sockets {
    '/ws/chat': typeof import('./api/chat.ts').default
  }
}
`)
  })

  it('is an empty module without routes', () => {
    const nothing = { ...project, agents: [], api: null }
    expect(toRouteTypes({ project: nothing, routes: [], pointers: none })).toContain('export {}\n\ndeclare module')
  })

  it('keeps a quote in a path inside its string', () => {
    expect(toRouteTypes({ project, routes: [info("GET /api/it's")], pointers: none })).toContain(
      String.raw`'GET /api/it\'s': RoutesOf<typeof import('./api/index.ts').default>['GET /api/it\'s']`,
    )
  })
})

describe('writeRouteTypes', () => {
  it('writes only changes, so that editors and watchers are not triggered', () => {
    const root = temporaryFolder('types').path
    mkdirSync(join(root, 'src'))
    const here = { project: { ...project, root }, routes: [], pointers: none }
    expect(writeRouteTypes(here)).toBe(true)
    const written = statSync(routeTypesFile(root), { bigint: true }).mtimeNs
    expect(writeRouteTypes(here)).toBe(false)
    expect(statSync(routeTypesFile(root), { bigint: true }).mtimeNs).toBe(written)
    expect(writeRouteTypes({ ...here, routes: [info('GET /api/a')] })).toBe(true)
    expect(readFileSync(routeTypesFile(root), 'utf8')).toContain('GET /api/a')
  })
})

function info(route: string, kind: RouteInfo['kind'] = 'route') {
  return { route, kind, description: undefined }
}
