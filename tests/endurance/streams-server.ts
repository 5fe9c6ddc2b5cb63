// Streams of every kind, with counters: how many started, how many reached `finally`, and whether the signal was
// aborted.
import { createAgent, createApp, type Context, type Log, serve } from '@sdk/server'
import { sendReports } from './child.ts'

/** The counters of the streams. */
export interface StreamsReport {
  readonly begun: Record<string, number>
  readonly ended: Record<string, number>
  /** Streams whose signal was aborted by then. */
  readonly aborted: Record<string, number>
  /** Streams that were notified by an abort listener. */
  readonly notified: Record<string, number>
  readonly connections: number
  /** The resources that keep the process alive, counted by kind. */
  readonly resources: Record<string, number>
  readonly unhandled: readonly string[]
  readonly errors: readonly string[]
}

const begun: Record<string, number> = {}
const ended: Record<string, number> = {}
const aborted: Record<string, number> = {}
const notified: Record<string, number> = {}
const unhandled: string[] = []
const errors: string[] = []
process.on('unhandledRejection', (reason) => unhandled.push(String(reason)))
process.on('uncaughtException', (error) => unhandled.push(error.stack ?? error.message))

const quiet = (): void => {}
const log: Log = {
  debug: quiet,
  info: quiet,
  warn: quiet,
  error: (message, fields) => void errors.push(`${message}: ${String(fields?.['error'])}`),
}
const add = (counts: Record<string, number>, name: string): void => void (counts[name] = (counts[name] ?? 0) + 1)
const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Counts a stream from its first step to its `finally`. */
async function* counted(name: string, ctx: Context, chunks: AsyncIterable<unknown>): AsyncGenerator {
  add(begun, name)
  ctx.signal.addEventListener('abort', () => add(notified, name), { once: true })
  try {
    yield* chunks
  } finally {
    add(ended, name)
    if (ctx.signal.aborted) add(aborted, name)
  }
}

async function* tokens(): AsyncGenerator {
  for (let n = 0; ; n++) {
    yield { n, token: 'word' }
    await later(5)
  }
}

/** Yields as fast as the client reads: back-pressure must stop it. */
async function* flood(): AsyncGenerator {
  for (let n = 0; ; n++) yield { n, text: 'x'.repeat(10_000) }
}

async function* patient({ signal }: Context): AsyncGenerator {
  yield 'waiting'
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
}

function toReadable(chunks: AsyncGenerator): ReadableStream<unknown> {
  return new ReadableStream({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await chunks.return(undefined)
    },
  })
}

const app = createApp({
  log,
  rateLimit: { default: { quota: 1e9, window: 60 }, agent: { quota: 1e9, window: 60 } },
  agents: [
    createAgent('tokens', { handler: (ctx) => counted('tokens', ctx, tokens()) }),
    createAgent('flood', { handler: (ctx) => counted('flood', ctx, flood()) }),
    createAgent('patient', { handler: (ctx) => counted('patient', ctx, patient(ctx)) }),
    createAgent('readable', { handler: (ctx) => toReadable(counted('readable', ctx, tokens())) }),
  ],
})
const { http, port } = await serve(app, { port: 0, timeouts: { headers: 1_000, request: 2_000 } })

sendReports(port, async (): Promise<StreamsReport> => {
  const connections = await new Promise<number>((resolve) => http.getConnections((_error, count) => resolve(count)))
  const resources: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) add(resources, kind)
  return { begun, ended, aborted, notified, connections, resources, unhandled, errors }
})
