/// <reference types="node" />
/** The same without return types. context-calls.test.ts expects that the compiler reports both cycles. */
import type { RoutesOf } from '@sdk/server'
import { createAgent, createRouter } from '@sdk/server'

export const router = createRouter()
  .on('GET /api/total', (ctx) => ctx.call('GET /api/sum'))
  .on('GET /api/sum', () => ({ total: 7 }))

export const ping = createAgent('ping', { handler: (ctx) => ctx.call('POST /agent/pong') })
export const pong = createAgent('pong', { handler: (ctx) => ctx.call('POST /agent/ping') })

declare module '@sdk/protocol' {
  interface Routes {
    'GET /api/total': RoutesOf<typeof router>['GET /api/total']
    'GET /api/sum': RoutesOf<typeof router>['GET /api/sum']
    'POST /agent/ping': typeof ping
    'POST /agent/pong': typeof pong
  }
}
