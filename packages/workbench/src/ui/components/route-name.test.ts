import { describe, expect, it } from 'vitest'
import { calledBy } from './route-name.tsx'

describe('calledBy', () => {
  it.each([
    ['GET /api/tasks/:id', '/api/tasks/7?x=1', 'GET /api/tasks/:id'],
    ['GET /api/auth/*', '/api/auth/get-session?x=1', 'GET /api/auth/get-session'],
    [null, '/api/nope', 'GET /api/nope'],
    ['/ws/chat', '/ws/chat?room=1', '/ws/chat'],
  ])('converts the route %s and the target %s to %s', (route, target, name) => {
    expect(calledBy({ route, method: 'GET', target })).toBe(name)
  })
})
