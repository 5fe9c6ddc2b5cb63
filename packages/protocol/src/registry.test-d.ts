import { describe, expectTypeOf, it } from 'vitest'
import type { RouteIO, RouteName, RouteOf, SocketIO, SocketName, SocketOf } from './index.ts'

// These tests fail if any file in this program fills the registry. The tests in registry.test.ts use a filled registry.
describe('an empty registry', () => {
  it('allows every route and types it as unknown', () => {
    expectTypeOf<RouteName>().toEqualTypeOf<string>()
    expectTypeOf<RouteOf<'GET /api/status'>>().toEqualTypeOf<{
      input: unknown
      output: unknown
      stream: boolean
      query: Record<string, unknown>
      durable: boolean
    }>()
    expectTypeOf<RouteOf<string>>().toExtend<RouteIO>()
  })

  it('allows every socket and types it as unknown', () => {
    expectTypeOf<SocketName>().toEqualTypeOf<string>()
    expectTypeOf<SocketOf<'/ws/chat'>>().toEqualTypeOf<SocketIO>()
  })

  it('is not silently any', () => {
    expectTypeOf<RouteOf<'GET /api/status'>['output']>().not.toBeAny()
    expectTypeOf<SocketOf<'/ws/chat'>['receive']>().not.toBeAny()
  })
})
