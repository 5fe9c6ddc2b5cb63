import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'
import type { Project } from './discover.ts'
import { routeTypesFile, toRouteTypes, writeRouteTypes } from './route-types.ts'

const project: Project = {
  root: '/app',
  agents: [{ name: 'summarize', file: '/app/src/agent/summarize/index.ts' }],
  api: '/app/src/api/index.ts',
  web: null,
}

describe('toRouteTypes', () => {
  it('points to every agent, route and socket, sorted', () => {
    const routes = [
      info('POST /agent/summarize', 'agent'),
      info('GET /api/b/:id'),
      info('GET /api/a'),
      info('/ws/chat', 'socket'),
    ]
    expect(toRouteTypes(project, routes))
      .toBe(`/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { RoutesOf } from '@sdk/server'

type Api = RoutesOf<typeof import('./api/index.ts').default>

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/a': Api['GET /api/a']
    'GET /api/b/:id': Api['GET /api/b/:id']
    'POST /agent/summarize': typeof import('./agent/summarize/index.ts').default
  }
  interface Sockets {
    '/ws/chat': Api['/ws/chat']
  }
}
`)
  })

  it('is a module that adds nothing when there is no route', () => {
    expect(toRouteTypes({ ...project, agents: [], api: null }, [])).toContain('export {}\n\ndeclare module')
  })

  it('keeps a quote in a path inside its string', () => {
    expect(toRouteTypes(project, [info("GET /api/it's")])).toContain(
      String.raw`'GET /api/it\'s': Api['GET /api/it\'s']`,
    )
  })
})

describe('writeRouteTypes', () => {
  it('writes only what changed, so that editors and watchers rest', () => {
    const root = temporaryFolder('types').path
    mkdirSync(join(root, 'src'))
    const here = { ...project, root }
    expect(writeRouteTypes(here, [])).toBe(true)
    const written = statSync(routeTypesFile(root), { bigint: true }).mtimeNs
    expect(writeRouteTypes(here, [])).toBe(false)
    expect(statSync(routeTypesFile(root), { bigint: true }).mtimeNs).toBe(written)
    expect(writeRouteTypes(here, [info('GET /api/a')])).toBe(true)
    expect(readFileSync(routeTypesFile(root), 'utf8')).toContain('GET /api/a')
  })
})

function info(route: string, kind: 'agent' | 'route' | 'socket' = 'route') {
  return { route, kind, description: undefined }
}
