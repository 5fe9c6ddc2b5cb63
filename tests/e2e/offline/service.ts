import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiError,
  createApp,
  createResource,
  createRouter,
  memoryStore,
  serve,
  type Server,
  type StoreSource,
} from '@sdk/server'
import { z } from 'zod'
import { bundle, toHtml } from '../bundle.ts'
import { userTokens } from '../user-tokens.ts'
import { PAGE } from './page.ts'

/** A server with tasks, which also serves the page. */
export interface TaskService {
  readonly url: string
  /** The changes of rows in order: `n` of each created row, `step` of each update, and the id of each deletion. */
  readonly log: (number | string)[]
  /** The number of requests to answer with 503, before those that are executed. */
  busy: number
  /** Whether the sessions of users are valid. */
  hasSession: boolean
  /** The number of requests that were rejected with 401. */
  rejected: number
  /** The time between a change and its response, in ms. */
  delayMs: number
  close(): Promise<void>
}

/** Starts the server. Its responses take a few ms after the change, so that some of them are lost with their tab. */
export async function startTaskService(store: StoreSource = memoryStore()): Promise<TaskService> {
  const html = toHtml('Offline', await bundle({ files: { 'page.tsx': PAGE }, mode: 'production' }))
  const log: (number | string)[] = []
  const quiet = (): void => {}
  const tasks = createResource('tasks', {
    schema: z.object({ n: z.int().min(0), step: z.int().default(0), parent: z.int().nullable().optional() }),
    store,
    access: ({ user }) => user !== null,
    sort: ['createdAt'],
    live: true,
    on: {
      created: ({ n }) => void log.push(n),
      updated: ({ step }) => void log.push(step),
      deleted: ({ id }) => void log.push(`deleted ${id}`),
    },
  })
  const router = createRouter()
    .use('/api/*', userTokens)
    .use('/api/*', async (_ctx, next) => {
      if (service.busy > 0) {
        service.busy -= 1
        throw new ApiError('SERVICE_UNAVAILABLE', 'busy', { retryAfter: 1 })
      }
      if (!service.hasSession) {
        service.rejected += 1
        throw new ApiError('UNAUTHORIZED', 'the session has ended')
      }
      const response = await next()
      await sleep(service.delayMs)
      return response
    })
    .resource('v1', tasks)
  const app = createApp({ log: { debug: quiet, info: quiet, warn: quiet, error: quiet }, router, rateLimit: false })
  const server: Server = await serve(app, {
    port: 0,
    signals: false,
    survive: false,
    fallback: (_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(html),
  })
  const close = (): Promise<void> => server.close({ grace: 100 })
  const service: TaskService = { url: server.url, log, busy: 0, hasSession: true, rejected: 0, delayMs: 3, close }
  return service
}
