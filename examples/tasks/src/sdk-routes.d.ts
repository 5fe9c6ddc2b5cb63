/* eslint-disable -- Written by sdk: where the types of each route are. Keep it in git, and do not edit it. */
import type { ResourceRoutes, RoutesOf } from '@sdk/server'

declare module '@sdk/protocol' {
  interface Routes {
    'DELETE /api/files/:id': RoutesOf<typeof import('./api/files.ts').files>['DELETE /:id']
    'DELETE /api/v1/messages/:id': ResourceRoutes<'v1', typeof import('./api/messages.ts').messages>['DELETE /api/v1/messages/:id']
    'DELETE /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['DELETE /api/v1/tasks/:id']
    'GET /api/auth/*': RoutesOf<typeof import('./api/index.ts').default>['GET /api/auth/*']
    'GET /api/files': RoutesOf<typeof import('./api/files.ts').files>['GET /']
    'GET /api/files/:id/content': RoutesOf<typeof import('./api/files.ts').files>['GET /:id/content']
    'GET /api/status': RoutesOf<typeof import('./api/index.ts').default>['GET /api/status']
    'GET /api/tasks/search': RoutesOf<typeof import('./api/tasks.ts').taskSearch>['GET /']
    'GET /api/v1/messages': ResourceRoutes<'v1', typeof import('./api/messages.ts').messages>['GET /api/v1/messages']
    'GET /api/v1/messages/:id': ResourceRoutes<'v1', typeof import('./api/messages.ts').messages>['GET /api/v1/messages/:id']
    'GET /api/v1/tasks': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['GET /api/v1/tasks']
    'GET /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['GET /api/v1/tasks/:id']
    'PATCH /api/v1/messages/:id': ResourceRoutes<'v1', typeof import('./api/messages.ts').messages>['PATCH /api/v1/messages/:id']
    'PATCH /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['PATCH /api/v1/tasks/:id']
    'POST /agent/plan': typeof import('./agent/plan/index.ts').default
    'POST /agent/prioritize': typeof import('./agent/prioritize/index.ts').default
    'POST /api/auth/*': RoutesOf<typeof import('./api/index.ts').default>['POST /api/auth/*']
    'POST /api/files': RoutesOf<typeof import('./api/files.ts').files>['POST /']
    'POST /api/v1/messages': ResourceRoutes<'v1', typeof import('./api/messages.ts').messages>['POST /api/v1/messages']
    'POST /api/v1/tasks': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['POST /api/v1/tasks']
    'PUT /api/v1/messages/:id': ResourceRoutes<'v1', typeof import('./api/messages.ts').messages>['PUT /api/v1/messages/:id']
    'PUT /api/v1/tasks/:id': ResourceRoutes<'v1', typeof import('./api/tasks.ts').tasks>['PUT /api/v1/tasks/:id']
  }
  interface Sockets {
    '/ws/chat': typeof import('./api/chat.ts').chat
  }
}
