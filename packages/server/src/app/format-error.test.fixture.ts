import { connect } from 'node:net'
import { z } from 'zod'
import { ApiError, createAgent, createApp, createRouter, createSocket, type FormatError, type Log } from '../index.ts'

/** The arguments of one call of `formatError`. */
export interface Seen {
  code: string
  route: string | null
  requestId: string | null
  address: string | null
  cause: unknown
}

/** The calls of `ownFormat`. */
export const seen: Seen[] = []
/** The error lines of the apps. */
export const logged: [message: string, fields: unknown][] = []
export const log: Log = {
  debug() {},
  info() {},
  warn() {},
  error: (message, fields) => void logged.push([message, fields]),
}

/** A format that differs from the envelope. */
export const ownFormat: FormatError = (error, ctx) => {
  const { code, cause, message, details } = error
  seen.push({
    code,
    route: ctx?.route ?? null,
    requestId: ctx?.requestId ?? null,
    address: ctx?.address ?? null,
    cause,
  })
  return { status: error.status, headers: { 'X-Format': 'own' }, body: { errors: { body: [message] }, details } }
}

async function* broken(at: 'first' | 'second'): AsyncGenerator<number> {
  if (at === 'second') yield 1
  throw new ApiError('CONFLICT', 'the stream broke')
}

/** Creates an app that can fail in every way. */
export function createFailingApp(formatError?: FormatError) {
  return createApp({
    log,
    ...(formatError && { formatError }),
    limits: { body: 100, target: 200 },
    rateLimit: { default: { quota: 1000, window: 60 }, auth: { quota: 1, window: 60 } },
    agents: [createAgent('late', { handler: () => broken('second') })],
    router: createRouter()
      .use('/api/guarded', (ctx, next) => {
        if (ctx.header('x-key') === null) throw new ApiError('FORBIDDEN', 'no key')
        return next()
      })
      .use('/api/caught', async (_ctx, next) => {
        try {
          return await next()
        } catch (error) {
          throw new ApiError('IM_A_TEAPOT', `was ${String(error)}`, { status: 418 })
        }
      })
      .on('GET /api/guarded', () => 'ok')
      .on('GET /api/caught', () => {
        throw new RangeError('no tea')
      })
      .on('POST /api/notes', { input: z.object({ title: z.string().min(2) }), handler: (_ctx, input) => input })
      .on('GET /api/numbers/:id', { params: z.object({ id: z.coerce.number() }), handler: (ctx) => ctx.params.id })
      .on('GET /api/taken', () => {
        throw new ApiError('CONFLICT', 'title is taken', { headers: { 'x-own': '1' } })
      })
      .on('GET /api/fails', () => {
        throw new Error('the secret reason')
      })
      .on('GET /api/first', () => broken('first'))
      .on('GET /api/response', () => new Response('mine', { status: 409 }))
      .on('POST /api/sign-in', { rateLimit: 'auth', handler: () => 'ok' })
      .socket('/ws/room', createSocket({ message() {} })),
  })
}

/** Throws a value. */
export function raise(thrown: unknown): never {
  throw thrown
}

/** Sends bytes and returns all bytes that the server sends until it closes the connection. */
export function exchange(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (part) => (text += part.toString())).on('error', () => {})
    socket.on('close', () => resolve(text))
  })
}
