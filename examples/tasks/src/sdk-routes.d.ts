/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { RoutesOf } from '@sdk/server'

type Api = RoutesOf<typeof import('./api/index.ts').default>

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/auth/*': Api['GET /api/auth/*']
    'GET /api/status': Api['GET /api/status']
    'GET /api/tasks': Api['GET /api/tasks']
    'POST /agent/summarize': typeof import('./agent/summarize/index.ts').default
    'POST /api/auth/*': Api['POST /api/auth/*']
    'POST /api/tasks': Api['POST /api/tasks']
  }
  interface Sockets {
    '/ws/chat': Api['/ws/chat']
  }
}
