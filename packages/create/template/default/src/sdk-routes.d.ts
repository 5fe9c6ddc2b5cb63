/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { RoutesOf } from '@sdk/server'

type Api = RoutesOf<typeof import('./api/index.ts').default>

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/status': Api['GET /api/status']
    'POST /agent/greet': typeof import('./agent/greet/index.ts').default
  }
  interface Sockets {}
}
