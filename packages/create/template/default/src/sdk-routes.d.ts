/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { ResourceRoutes, RoutesOf } from '@sdk/server'

declare module '@sdk/protocol' {
  interface Routes {
    'DELETE /api/v1/notes/:id': ResourceRoutes<'v1', typeof import('./api/notes.ts').notes>['DELETE /api/v1/notes/:id']
    'GET /api/auth/*': RoutesOf<typeof import('./api/index.ts').default>['GET /api/auth/*']
    'GET /api/status': RoutesOf<typeof import('./api/index.ts').default>['GET /api/status']
    'GET /api/v1/notes': ResourceRoutes<'v1', typeof import('./api/notes.ts').notes>['GET /api/v1/notes']
    'GET /api/v1/notes/:id': ResourceRoutes<'v1', typeof import('./api/notes.ts').notes>['GET /api/v1/notes/:id']
    'PATCH /api/v1/notes/:id': ResourceRoutes<'v1', typeof import('./api/notes.ts').notes>['PATCH /api/v1/notes/:id']
    'POST /agent/plan': typeof import('./agent/plan/index.ts').default
    'POST /api/auth/*': RoutesOf<typeof import('./api/index.ts').default>['POST /api/auth/*']
    'POST /api/v1/notes': ResourceRoutes<'v1', typeof import('./api/notes.ts').notes>['POST /api/v1/notes']
    'PUT /api/v1/notes/:id': ResourceRoutes<'v1', typeof import('./api/notes.ts').notes>['PUT /api/v1/notes/:id']
  }
  interface Sockets {
    '/ws/chat': typeof import('./api/chat.ts').chat
  }
}
