import { ApiError, createAgent, createResource, createRouter, createSocket, memoryStore } from '@sdk/server'
import { z } from 'zod'
import { startService, type Service } from './service.ts'

/** The app without users. */
export interface PublicApp extends Service {
  /** The events of the socket's handlers, in order. */
  readonly events: readonly unknown[]
  /** Blocks `/api/slow` and the agent `slow` until the test calls the returned function. */
  hold(): () => void
}

const tasks = createResource('tasks', {
  schema: z.object({ title: z.string().min(1), isDone: z.boolean().default(false) }),
  store: memoryStore(),
  access: 'public',
})

const agents = [
  createAgent('echo', {
    handler: (ctx, input) => ({ input, contentType: ctx.header('content-type'), tenant: ctx.header('x-tenant') }),
  }),
  createAgent('count', {
    async *handler(_ctx, to: unknown) {
      for (let n = 1; n <= Number(to); n++) yield { n }
    },
  }),
  createAgent('recite', {
    handler: () => new Response('one|two|three', { headers: { 'content-type': 'text/plain' } }),
  }),
  createAgent('refuse', {
    handler() {
      throw new ApiError('CONFLICT', 'that was said already')
    },
  }),
]

/** Starts the app without users. */
export async function startPublicApp(): Promise<PublicApp> {
  const events: unknown[] = []
  let visits = 0
  let held = Promise.resolve()
  const wait = async (): Promise<object> => {
    await held
    return { waited: true }
  }
  const chat = createSocket({
    open: () => events.push('came'),
    async message(peer, message) {
      events.push(message)
      peer.send({ echo: message })
    },
    close: () => events.push('went'),
  })
  const router = createRouter()
    .resource('v1', tasks)
    .on('GET /api/visits', () => ({ visits: ++visits }))
    .on('GET /api/tenant', (ctx) => ({ tenant: ctx.header('x-tenant') }))
    .on('GET /api/lines', async function* () {
      yield { n: 1 }
      yield { n: 2 }
    })
    .on('GET /api/slow', wait)
    .on('GET /api/broken', () => {
      throw new Error('the password of the database is secret')
    })
    .socket('/ws/chat', chat)
  const service = await startService({
    agents: [...agents, createAgent('slow', { handler: wait })],
    router,
    cors: ['http://elsewhere.test'],
  })
  return {
    ...service,
    events,
    hold() {
      let release = (): void => {}
      held = new Promise((resolve) => (release = resolve))
      return release
    },
  }
}
