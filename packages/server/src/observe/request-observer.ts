import { isChunks } from '../platform/is-chunks.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { toLogText, type LogFields } from '../log/log-value.ts'
import { logByLevel, type Log } from '../log/log.ts'

/** Observes one run of a handler: that of a request, or one nested in it. For development tools. */
export interface RunObserver {
  /** Another agent runs inside of this one; returns the observer of that run. */
  onNestedRun(route: string, input: unknown): RunObserver
  onLog(level: keyof Log, message: string, fields: LogFields | undefined): void
  /** A nested run emitted a chunk. */
  onChunk(chunk: unknown): void
  /** A nested run ended. */
  onEnd(outcome: { output?: unknown; error?: unknown }): void
}

/** Observes the parts of a request that no adapter sees. */
export interface RequestObserver extends RunObserver {
  /** Called with the route that answers, if there is one. */
  onRoute(route: string, requestId: string): void
  onAuthenticated(auth: RequestAuth | null): void
  /** Called with the raw body, where the core reads it. */
  onBody(body: string): void
  /** Called with the error of a handler, also in the middle of a stream. */
  onError(error: unknown): void
}

/** Observes the close of a WebSocket connection. */
export interface SocketObserver {
  onClose(code: number, reason: string): void
}

/** Returns a log whose lines the observer gets too. */
export function observeLog(log: Log, observer: RunObserver): Log {
  return logByLevel((level) => (message, fields) => {
    // Whoever passes something else for a message gets a line too: no call of a log throws.
    observer.onLog(level, typeof message === 'string' ? message : toLogText(message), fields)
    log[level](message, fields)
  })
}

/** Runs work and reports its end to the observer; of a stream, every chunk too. */
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
