/** A filled registry, which registry.test.ts compiles as a separate program. */
import type { RouteIO, RouteName, RouteOf, SocketIO, SocketName, SocketOf, HasTypes } from '@sdk/protocol'
import { expectTypeOf } from 'vitest'

interface Echo {
  input: { text: string }
  output: { said: string }
  stream: true
  query: { loud?: boolean }
}

interface Chat {
  send: { text: string }
  receive: { from: string; text: string }
}

// The type of a definition whose module is not found.
// oxlint-disable-next-line typescript/no-explicit-any -- the type is any
type Lost = any

declare module '@sdk/protocol' {
  interface Routes {
    'POST /agent/echo': HasTypes<Echo>
    'GET /api/untyped': { handler: () => void }
    'GET /api/nowhere': Lost
  }
  interface Sockets {
    '/ws/chat': HasTypes<Chat>
    '/ws/nowhere': Lost
  }
}

// Only registered routes and sockets have names.
expectTypeOf<RouteName>().toEqualTypeOf<'POST /agent/echo' | 'GET /api/untyped' | 'GET /api/nowhere'>()
expectTypeOf<SocketName>().toEqualTypeOf<'/ws/chat' | '/ws/nowhere'>()
// @ts-expect-error -- no such route
export const unknownRoute: RouteName = 'GET /api/nope'
// @ts-expect-error -- no such socket
export const unknownSocket: SocketName = '/ws/nope'

// The types are those of the definition itself.
expectTypeOf<RouteOf<'POST /agent/echo'>>().toEqualTypeOf<Echo>()
expectTypeOf<SocketOf<'/ws/chat'>>().toEqualTypeOf<Chat>()
// @ts-expect-error -- a canary against silent any: the output has no such member
export type Wrong = RouteOf<'POST /agent/echo'>['output']['nope']

// A definition without types is unknown, not any.
expectTypeOf<RouteOf<'GET /api/untyped'>>().toEqualTypeOf<RouteIO>()
expectTypeOf<RouteOf<'GET /api/untyped'>['output']>().toBeUnknown()

// A definition that is not found is also unknown.
expectTypeOf<RouteOf<'GET /api/nowhere'>>().toEqualTypeOf<RouteIO>()
expectTypeOf<RouteOf<'GET /api/nowhere'>['output']>().toBeUnknown()
expectTypeOf<SocketOf<'/ws/nowhere'>>().toEqualTypeOf<SocketIO>()
