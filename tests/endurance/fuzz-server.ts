// The target of the fuzzer: every way to read a request, with limits that it never reaches.
import { createAgent, createApp, createRouter, type Log, serve } from '@sdk/server'
import { z } from 'zod'
import { sendReports } from './child.ts'

/** The state of the server at the end. */
export interface FuzzReport {
  readonly heapUsed: number
  readonly unhandled: readonly string[]
  readonly errors: readonly string[]
  readonly isPolluted: boolean
}

const unhandled: string[] = []
/** One log line of each kind. */
const errors = new Map<string, string>()
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)))
process.on('uncaughtException', (error) => unhandled.push(error.stack ?? error.message))

const quiet = (): void => {}
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error(message, fields) {
    errors.set(`${message}: ${String(fields?.['error'])}`, JSON.stringify({ message, ...fields }))
  },
}

const Note = z.strictObject({
  title: z.string().min(1).max(200),
  stars: z.int().optional(),
  tags: z.array(z.string()).optional(),
})

const app = createApp({
  log,
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  trustedProxies: ['127.0.0.1'],
  cors: ['https://app.example.com'],
  agents: [
    createAgent('echo', { handler: (_ctx, input) => input }),
    createAgent('strict', { input: Note, handler: (_ctx, note) => note }),
    createAgent('stream', {
      async *handler(_ctx, input) {
        yield { input }
        yield { done: true }
      },
    }),
  ],
  router: createRouter()
    .on('POST /api/notes', { input: Note, handler: (_ctx, note) => note })
    .on('PATCH /api/notes/:id', { input: Note.partial(), handler: (ctx, note) => ({ id: ctx.params.id, ...note }) })
    .on('GET /api/notes/:id', (ctx) => ({ id: ctx.params.id, query: ctx.query }))
    .on('GET /api/search', { query: z.strictObject({ q: z.string() }), handler: (ctx) => ctx.query })
    .on('GET /api/tree/*', (ctx) => ({ route: ctx.route }))
    .on('POST /api/upload', async (ctx) => ({ url: ctx.request.url, length: (await ctx.request.text()).length })),
})
const { port } = await serve(app, { port: 0 })
sendReports(port, (): FuzzReport => {
  const isPolluted = Object.keys(Object.prototype).length > 0 || 'polluted' in {}
  return { heapUsed: process.memoryUsage().heapUsed, unhandled, errors: [...errors.values()], isPolluted }
})
