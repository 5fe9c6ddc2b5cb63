import { describe, expect, it } from 'vitest'
import { createSummary } from '../runs/run.test.fixture.ts'
import { stepsOf, type ChecklistInput } from './checklist.ts'

const routes = [
  { route: 'POST /agent/echo', kind: 'agent', description: undefined },
  { route: 'GET /api/v1/tasks', kind: 'resource', description: undefined },
  { route: '/ws/chat', kind: 'socket', description: undefined },
] as const

function done(some: Partial<ChecklistInput>): string[] {
  const facts = { routes, runs: [], hasAuth: true, isUser: false, done: [], ...some }
  return stepsOf(facts)
    .filter(({ isDone }) => isDone)
    .map(({ name }) => name)
}

describe('stepsOf', () => {
  it('returns the steps that apply to the project, each with a link', () => {
    const facts = { routes, runs: [], hasAuth: false, isUser: false, done: [] }
    expect(stepsOf(facts).map(({ name, href }) => [name, href])).toEqual([
      ['agent', '/agents/echo'],
      ['api', '/routes?route=GET%20%2Fapi%2Fv1%2Ftasks'],
      ['socket', '/ws/chat'],
      ['test', '/agents/echo'],
    ])
    expect(stepsOf({ ...facts, routes: [] })).toEqual([])
  })

  it('links to a GET without parameters, never to a DELETE', () => {
    const hrefOf = (...some: [route: string, kind: 'route' | 'resource'][]): string | undefined => {
      const all = some.map(([route, kind]) => ({ route, kind, description: undefined }))
      return stepsOf({ routes: all, runs: [], hasAuth: false, isUser: false, done: [] })[0]?.href
    }
    const toHref = (route: string): string => `/routes?route=${encodeURIComponent(route)}`
    const rest = ['DELETE /api/v1/notes/:id', 'GET /api/v1/notes/:id', 'GET /api/v1/notes'] as const
    const resource = rest.map((route): [string, 'resource'] => [route, 'resource'])
    expect(hrefOf(...resource, ['GET /api/auth/*', 'route'], ['GET /api/status', 'route'])).toBe(
      toHref('GET /api/status'),
    )
    expect(hrefOf(...resource)).toBe(toHref('GET /api/v1/notes'))
    expect(hrefOf(['DELETE /api/a', 'route'], ['GET /api/a/:id', 'route'])).toBe(toHref('GET /api/a/:id'))
    expect(hrefOf(['DELETE /api/a', 'route'])).toBeUndefined()
  })

  it('marks completed steps as done', () => {
    expect(done({})).toEqual([])
    expect(done({ runs: [createSummary({ kind: 'agent' })] })).toEqual(['agent'])
    expect(done({ runs: [createSummary({ kind: 'route' })] })).toEqual(['api'])
    expect(done({ runs: [createSummary({ kind: 'socket', caller: 'node' })] })).toEqual(['socket'])
    expect(done({ isUser: true })).toEqual(['user'])
    const identity = { userId: '1', email: null, name: null }
    expect(done({ runs: [createSummary({ identity })] })).toEqual(['agent', 'user'])
  })

  it('keeps completed steps after their runs were deleted', () => {
    expect(done({ done: ['socket', 'agent', 'test'] })).toEqual(['agent', 'socket', 'test'])
  })
})
