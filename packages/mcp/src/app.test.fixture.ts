import {
  ApiError,
  createAgent,
  createApp,
  createLog,
  createResource,
  createRouter,
  memoryStore,
  requireUser,
} from '@sdk/server'
import type { App, RateLimits } from '@sdk/server'
import { z } from 'zod'
import { mcp, mcpContent, type McpBlocks } from './index.ts'

/** A 1 × 1 pixel. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A result with several parts. */
export const MIXED: McpBlocks = {
  content: [
    { type: 'text', text: 'A pixel' },
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: 'result://notes', mimeType: 'text/plain', text: 'Notes' } },
  ],
}

/** The routes that the app offers as tools. */
export const TOOLS = {
  summarize: 'POST /agent/summarize',
  count: 'POST /agent/count',
  wait: 'POST /agent/wait',
  fail: 'POST /agent/fail',
  listTasks: 'GET /api/v1/tasks',
  createTask: 'POST /api/v1/tasks',
  getTask: 'GET /api/v1/tasks/:id',
  replaceTask: 'PUT /api/v1/tasks/:id',
  deleteTask: 'DELETE /api/v1/tasks/:id',
  pixel: 'GET /api/pixel',
  sound: 'GET /api/sound',
  archive: 'GET /api/archive',
  words: 'GET /api/words',
  trace: 'GET /api/trace',
  text: 'GET /api/text',
  total: 'GET /api/total',
  formatted: 'GET /api/formatted',
  empty: 'GET /api/empty',
  mixed: 'GET /api/mixed',
  unchecked: 'GET /api/unchecked',
  invalid: 'GET /api/invalid',
  secret: 'GET /api/guarded/secret',
} as const

/** The app, and what its handlers observe. */
export interface Subject {
  readonly app: App
  /** Resolves when the agent `wait` has started. */
  readonly started: Promise<void>
  /** Resolves when the signal of the agent `wait` aborts. */
  readonly aborted: Promise<void>
  readonly logged: string[]
}

/** Creates an app with a route for each kind of result. */
export function createSubject(rateLimit: RateLimits | false = false): Subject {
  const [start, abort] = [defer<void>(), defer<void>()]
  const logged: string[] = []
  const tasks = createResource('tasks', {
    schema: z.object({ title: z.string().min(1).max(99) }),
    store: memoryStore(),
    access: ({ user }) => (user ? { ownerId: user.id } : false),
    assign: ({ user }) => ({ ownerId: user?.id ?? '' }),
  })
  const agents = [
    createAgent('summarize', {
      description: 'Returns the first words of a text',
      input: z.object({ text: z.string().min(1).max(999) }),
      output: z.object({ text: z.string() }),
      handler: (_ctx, { text }) => ({ text: text.slice(0, 5) }),
    }),
    createAgent('count', {
      input: z.object({ to: z.int().max(10) }),
      output: z.object({ number: z.int() }),
      async *handler(_ctx, { to }) {
        for (let number = 1; number <= to; number++) yield { number }
      },
    }),
    createAgent('wait', {
      async handler(ctx) {
        ctx.signal.addEventListener('abort', () => abort.resolve())
        start.resolve()
        return new Promise(() => {})
      },
    }),
    createAgent('fail', {
      input: z.object({ code: z.string().max(20) }),
      handler(_ctx, { code }): null {
        throw code === 'CONFLICT' ? new ApiError('CONFLICT', 'is taken') : new Error('the password is hunter2')
      },
    }),
  ]
  const toFile = (text: string, type: string) => () =>
    new Response(Buffer.from(text, 'base64'), { headers: { 'content-type': type } })
  const router = createRouter()
    .resource('v1', tasks)
    .use('/api/guarded/*', async (ctx, next) => {
      await requireUser(ctx)
      return next()
    })
    .on('GET /api/guarded/secret', () => ({ secret: 42 }))
    .on('GET /api/pixel', toFile(PIXEL, 'image/png'))
    .on('GET /api/sound', toFile(PIXEL, 'audio/wav'))
    .on('GET /api/archive', toFile(PIXEL, 'application/zip'))
    .on('GET /api/words', { output: z.array(z.string()), handler: () => ['one', 'two'] })
    .on('GET /api/text', () => new Response('plain'))
    .on('GET /api/total', () => 7)
    .on('GET /api/formatted', { content: 'application/json', handler: () => '{ "a": [1,\n2] }' })
    .on('GET /api/empty', () => null)
    .on('GET /api/mixed', { output: mcpContent, handler: () => MIXED })
    .on('GET /api/unchecked', { output: mcpContent, handler: () => Response.json({ content: [{ type: 'other' }] }) })
    .on('GET /api/invalid', {
      output: mcpContent,
      handler: (_ctx) => ({ content: [{ type: 'image', data: '?', mimeType: 'image/png' }] }),
    })
    .on('GET /api/trace', (ctx) => ({ traceId: ctx.trace.traceId, requestId: ctx.requestId }))
    .on('POST /api/mcp', mcp(TOOLS, { name: 'subject', instructions: 'Be brief.' }))
    .on('POST /api/listed', mcp(['POST /agent/summarize', 'GET /api/v1/tasks']))
    .on('POST /api/misspelled', mcp(['GET /api/v1/task']))
  const log = createLog({ write: (line) => logged.push(line) })
  const app = createApp({ agents, router, log, rateLimit })
  return { app, started: start.promise, aborted: abort.promise, logged }
}

function defer<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((fulfill) => {
    resolve = fulfill
  })
  return { promise, resolve }
}
