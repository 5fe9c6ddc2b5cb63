import { describe, expectTypeOf, it } from 'vitest'
import type { RouteIO, RouteName, RouteOf, SocketIO, SocketName, SocketOf } from './index.ts'

// A registry that is filled anywhere in this program would fail here: the filled one is checked by registry.test.ts.
describe('an empty registry', () => {
  it('allows every route and types it as unknown', () => {
    expectTypeOf<RouteName>().toEqualTypeOf<string>()
    expectTypeOf<RouteOf<'GET /api/status'>>().toEqualTypeOf<{
      input: unknown
      output: unknown
      stream: boolean
      query: Record<string, unknown>
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
