/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { ResourceRoutes, RoutesOf } from '@sdk/server'

declare module '@sdk/protocol' {
  interface Routes {
    'DELETE /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['DELETE /api/v1/tasks/:id']
    'GET /api/status': RoutesOf<typeof import('./api/index.ts').default>['GET /api/status']
    'GET /api/v1/tasks': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['GET /api/v1/tasks']
    'GET /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['GET /api/v1/tasks/:id']
    'PATCH /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['PATCH /api/v1/tasks/:id']
    'POST /agent/summarize': typeof import('./agent/summarize/index.ts').default
    'POST /api/v1/tasks': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['POST /api/v1/tasks']
    'PUT /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['PUT /api/v1/tasks/:id']
  }
  interface Sockets {}
}
