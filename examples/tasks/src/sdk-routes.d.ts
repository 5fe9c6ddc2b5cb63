/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { RoutesOf } from '@sdk/server'

type Api = RoutesOf<typeof import('./api/index.ts').default>

declare module '@sdk/protocol' {
  interface Routes {
    'DELETE /api/v1/tasks/:id': Api['DELETE /api/v1/tasks/:id']
    'GET /api/auth/*': Api['GET /api/auth/*']
    'GET /api/status': Api['GET /api/status']
    'GET /api/v1/tasks': Api['GET /api/v1/tasks']
    'GET /api/v1/tasks/:id': Api['GET /api/v1/tasks/:id']
    'PATCH /api/v1/tasks/:id': Api['PATCH /api/v1/tasks/:id']
    'POST /agent/summarize': typeof import('./agent/summarize/index.ts').default
    'POST /api/auth/*': Api['POST /api/auth/*']
    'POST /api/v1/tasks': Api['POST /api/v1/tasks']
    'PUT /api/v1/tasks/:id': Api['PUT /api/v1/tasks/:id']
  }
  interface Sockets {
    '/ws/chat': Api['/ws/chat']
  }
}
