import type { LogFields } from '../log/log-fields.ts'
import { isChunks } from '../platform/is-chunks.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { toLogText } from '../log/log-value.ts'
import { logByLevel, type Log } from '../log/log.ts'

/** Hears what one run of a handler does: that of a call, or one nested in it. For tools of development. */
export interface RunObserver {
  /** Another agent runs inside of this one. */
  onNestedRun(route: string, input: unknown): RunObserver
  onLog(level: keyof Log, message: string, fields: LogFields | undefined): void
  /** A nested run gave a chunk. */
  onChunk(chunk: unknown): void
  /** A nested run is over. */
  onEnd(outcome: { output?: unknown; error?: unknown }): void
}

/** Hears of a call what only the core knows; what goes in and out can be seen at the door. */
export interface RequestObserver extends RunObserver {
  /** The route that answers; never called where there is none. */
  onRoute(route: string, requestId: string): void
  onAuthenticated(auth: RequestAuth | null): void
  /** The body as it came, where the core reads it. */
  onBody(body: string): void
  /** What a handler threw, also in the middle of a stream. */
  onError(error: unknown): void
}

/** Hears of a connection of a socket what only its door knows. */
export interface SocketObserver {
  onClose(code: number, reason: string): void
}

/** The same log, whose lines the watcher hears too. */
export function observeLog(log: Log, observer: RunObserver): Log {
  return logByLevel((level) => (message, fields) => {
    // Whoever passes something else for a message gets a line too: no call of a log throws.
    observer.onLog(level, typeof message === 'string' ? message : toLogText(message), fields)
    log[level](message, fields)
  })
}

/** Runs work that a watcher hears the end of; of a stream, every chunk too. */
export async function observeRun(observer: RunObserver, run: () => Promise<unknown>): Promise<unknown> {
  try {
    const output = await run()
    if (typeof output === 'object' && output !== null && isChunks(output)) return observeChunks(observer, output)
    observer.onEnd({ output })
    return output
  } catch (error) {
    observer.onEnd({ error })
    throw error
  }
}

async function* observeChunks(
  observer: RunObserver,
  chunks: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator {
  let outcome: { error?: unknown } = {}
  try {
    for await (const chunk of chunks) {
      observer.onChunk(chunk)
      yield chunk
    }
  } catch (error) {
    outcome = { error }
    throw error
  } finally {
    observer.onEnd(outcome)
  }
}
