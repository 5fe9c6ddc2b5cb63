/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { RoutesOf } from '@sdk/server'

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/status': RoutesOf<typeof import('./api/index.ts').default>['GET /api/status']
    'POST /agent/greet': typeof import('./agent/greet/index.ts').default
  }
  interface Sockets {}
}
