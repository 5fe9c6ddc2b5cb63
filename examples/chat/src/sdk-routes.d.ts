/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { RoutesOf } from '@sdk/server'

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/rooms/:room/messages': RoutesOf<typeof import('./api/index.ts').default>['GET /api/rooms/:room/messages']
  }
  interface Sockets {
    '/ws/chat': RoutesOf<typeof import('./api/index.ts').default>['/ws/chat']
  }
}
