// Misbehaving handlers. Nothing here catches their errors: that is the responsibility of the server.
import { ApiError, createAgent, createApp, createRouter, serve, type Context } from '@sdk/server'
import { z } from 'zod'

const SECRET = 'swordfish'
const later = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))
/** Does something immediately, and returns later. */
const after = (work: () => unknown): Promise<void> => {
  work()
  return new Promise((resolve) => setTimeout(resolve, 50))
}
const circular = (): object => {
  const object: Record<string, unknown> = { name: 'circular' }
  object['self'] = object
  return object
}
const withGetter = (name: string): object =>
  Object.defineProperty({}, name, {
    enumerable: true,
    get() {
      throw new Error(SECRET)
    },
  })
const throwSecret = (): never => {
  throw new Error(SECRET)
}
/** Throws a value that the type checker would not allow. */
const raise = (what: unknown): never => {
  throw what as Error
}

type Handlers = Record<string, (ctx: Context) => unknown>

/** Handlers without a valid result: each must become a 500 without details. */
const failing = {
  'throws-error': throwSecret,
  'throws-string': () => raise(SECRET),
  'throws-null': () => raise(null),
  'throws-undefined': () => raise(undefined),
  'throws-symbol': () => raise(Symbol(SECRET)),
  'throws-bare-object': () => raise(Object.create(null)),
  'throws-hostile-object': () => raise(withGetter('message')),
  'throws-hostile-error': () => raise(Object.defineProperty(new Error(SECRET), 'stack', { get: throwSecret })),
  'throws-hostile-cause': () => raise(new Error(SECRET, { cause: withGetter('cause') })),
  'throws-circular-cause': () => {
    const error = new Error(SECRET)
    error.cause = error
    throw error
  },
  'throws-proxy': () => raise(new Proxy(new Error(SECRET), { get: throwSecret, getPrototypeOf: throwSecret })),
  'throws-like-api-error': () =>
    raise(Object.assign(new Error(SECRET), { name: 'ApiError', code: 'X', details: [], status: 'no' })),
  'throws-api-error-of-success': () => raise(new ApiError('FINE', SECRET, { status: 204 })),
  'throws-api-error-of-nowhere': () => raise(new ApiError('FAR_AWAY', SECRET, { status: 1_000 })),
  'throws-circular-details': () => raise(new ApiError('CONFLICT', SECRET, { details: [circular() as never] })),
  'throws-bigint-details': () =>
    raise(new ApiError('CONFLICT', SECRET, { details: [{ code: 'A', message: 'b', n: 1n }] })),
  'throws-bad-header': () => raise(new ApiError('CONFLICT', SECRET, { headers: { 'x-a': `a\r\nx-b: ${SECRET}` } })),
  'rejects-later': () => later().then(throwSecret),
  'rejects-string': () => later().then(() => raise(SECRET)),
  'has-hostile-then': () => withGetter('then'),
  'returns-circular': circular,
  'returns-bigint': () => ({ n: 1n }),
  'returns-getter': () => withGetter('value'),
  'returns-to-json': () => ({ toJSON: throwSecret }),
  'returns-deep': () => {
    let deep: unknown[] = []
    for (let n = 0; n < 100_000; n++) deep = [deep]
    return deep
  },
  'returns-hostile-proxy': () => new Proxy({}, { get: throwSecret, has: throwSecret, ownKeys: throwSecret }),
  'returns-used-response': async () => {
    const response = new Response('once')
    await response.text()
    return response
  },
  'returns-hostile-iterable': () => ({ [Symbol.asyncIterator]: throwSecret }),
} satisfies Handlers

/** Streams that fail after their first chunk. */
const breaking = {
  async *'yields-circular'() {
    yield { n: 1 }
    yield circular()
  },
  async *'yields-bigint'() {
    yield { n: 1 }
    yield { n: 1n }
  },
  async *'yields-getter'() {
    yield { n: 1 }
    yield withGetter('value')
  },
  async *'throws-mid-stream'() {
    yield { n: 1 }
    await later()
    throwSecret()
  },
  async *'throws-null-mid-stream'() {
    yield { n: 1 }
    raise(null)
  },
  'next-returns-null': () => {
    let n = 0
    return { [Symbol.asyncIterator]: () => ({ next: () => (n++ === 0 ? { done: false, value: { n: 1 } } : null) }) }
  },
  'readable-errors': () =>
    new ReadableStream({
      pull(controller) {
        controller.enqueue({ n: 1 })
        controller.error(new Error(SECRET))
      },
    }),
} satisfies Handlers

/** Handlers whose client disconnects; they log the abort. */
const left = {
  'never-settles': (ctx) => {
    ctx.signal.addEventListener('abort', () => ctx.log.info('the caller left'))
    ctx.log.info('waiting')
    return new Promise(() => {})
  },
  async *'finally-throws'(ctx) {
    try {
      ctx.log.info('waiting')
      for (;;) {
        yield { tick: true }
        await later()
      }
    } finally {
      ctx.log.info('the caller left')
      throwSecret()
    }
  },
  'return-throws': (ctx) => ({
    [Symbol.asyncIterator]: () => ({
      next: () => later().then(() => ({ done: false, value: { tick: true } })),
      return() {
        ctx.log.info('the caller left')
        throwSecret()
      },
    }),
    waiting: ctx.log.info('waiting'),
  }),
  'abort-listener-throws': (ctx) => {
    ctx.signal.addEventListener('abort', () => {
      ctx.log.info('the caller left')
      throwSecret()
    })
    ctx.log.info('waiting')
    return new Promise(() => {})
  },
  // Behaves correctly while others misbehave.
  innocent: (ctx) => {
    ctx.log.info('waiting')
    return new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
  },
  'rejects-when-left': (ctx) => {
    ctx.log.info('waiting')
    return new Promise((_resolve, reject) => {
      ctx.signal.addEventListener('abort', () => {
        ctx.log.info('the caller left')
        reject(new Error(SECRET))
      })
    })
  },
} satisfies Handlers

/** Handlers that respond correctly and fail in the background. */
const stray = {
  'wait-until-rejects': (ctx) => {
    ctx.waitUntil(later().then(throwSecret))
    return { ok: true }
  },
  'wait-until-throws-in-next-tick': (ctx) => {
    ctx.waitUntil(later().then(() => process.nextTick(throwSecret)))
    return { ok: true }
  },
  'wait-until-throws-in-next-tick-synchronously': (ctx) => {
    ctx.waitUntil(after(() => process.nextTick(throwSecret)))
    return { ok: true }
  },
  'wait-until-throws-in-timer': (ctx) => {
    ctx.waitUntil(after(() => setTimeout(throwSecret, 1)))
    return { ok: true }
  },
  'rejects-unhandled': () => {
    void later().then(throwSecret)
    return { ok: true }
  },
  'throws-in-timer': () => {
    setTimeout(throwSecret, 1)
    return { ok: true }
  },
  'wait-until-no-promise': (ctx) => {
    ctx.waitUntil(undefined as unknown as Promise<void>)
    return { ok: true }
  },
  'logs-hostile-fields': (ctx) => {
    ctx.log.info(`a hostile line of ${SECRET}`, {
      circular: circular(),
      big: 1n,
      getter: withGetter('x'),
      symbol: Symbol('s'),
    })
    return { ok: true }
  },
} satisfies Handlers

const all = { ...failing, ...breaking, ...left, ...stray } satisfies Handlers

/** The name of an agent of this server. */
export type HostileAgent = keyof typeof all | 'hostile-output' | 'hostile-schema' | 'alive'

const app = createApp({
  rateLimit: false,
  agents: [
    ...Object.entries(all).map(([name, handler]) => createAgent(name, { handler })),
    createAgent('hostile-output', {
      output: z.object({ n: z.number() }),
      handler: () => ({ n: 'no number' }) as never,
    }),
    createAgent('hostile-schema', {
      input: { '~standard': { version: 1, vendor: 'hostile', validate: throwSecret } } as never,
      handler: () => null,
    }),
    createAgent('alive', { handler: () => ({ alive: true }) }),
  ],
  router: createRouter()
    .use('/api/middleware/*', () => raise(SECRET))
    .on('GET /api/middleware/any', () => null)
    .use('/api/twice/*', async (_ctx, next) => {
      await next()
      return next()
    })
    .on('GET /api/twice/any', () => ({ ok: true }))
    .use('/api/nothing/*', () => Promise.resolve(undefined as never))
    .on('GET /api/nothing/any', () => ({ ok: true })),
})
const server = await serve(app, { port: 0 })
console.log(`listening at ${server.url}`)
