import { isChunks } from '../platform/is-chunks.ts'
import type { RequestAuth } from '../auth/identity.ts'
import { toLogText, type LogFields } from '../log/log-value.ts'
import { logByLevel, type Log } from '../log/log.ts'
import type { ModelStepObserver, ModelStepStart } from './model-step.ts'

/** An observer of one handler run, either for a request or nested inside one. Used by development tools. */
export interface RunObserver {
  /**
   * Called when a nested run starts. Returns the observer for that run. `toolCallId` is set if a model has called the run
   * as a tool.
   */
  onNestedRun(route: string, input: unknown, toolCallId?: string): RunObserver
  /** Called when the run calls a model. Returns the observer for that step. */
  onModelStep?(start: ModelStepStart): ModelStepObserver
  /**
   * Called before the run sends a request to another machine with `fetch`. Returns a function that receives a copy of
   * the response after its last chunk, or undefined if none is needed.
   */
  onFetch?(request: Request): ((response: Response) => void) | undefined
  onLog(level: keyof Log, message: string, fields: LogFields | undefined): void
  /** Called when a nested run or a durable run emits a chunk. */
  onChunk(chunk: unknown): void
  /** Called when a nested run ends, and when a durable run ends or pauses. */
  onEnd(outcome: { output?: unknown; error?: unknown }): void
}

/** An observer of the parts of a request that adapters cannot see. */
export interface RequestObserver extends RunObserver {
  /** Called with the matching route, if there is one. */
  onRoute(route: string, requestId: string): void
  onAuthenticated(auth: RequestAuth | null): void
  /** Called with the raw body, if the core reads it. */
  onBody(body: string): void
  /** Called with an error from a handler, including errors during a stream. */
  onError(error: unknown): void
  /** Called when a client of another protocol, such as MCP, calls a route as a tool. `client` is its name, if known. */
  onToolCall(route: string, client: string | null): void
}

/** A durable run that is executed without a request, such as a scheduled run. */
export interface BackgroundRun {
  /** The id of the durable run. */
  readonly id: string
  /** The route of its agent, such as `POST /agent/digest`. */
  readonly route: string
  /** The input as JSON, or null if there is none. */
  readonly input: string | null
  /** The user of the run, or null if the app itself has started it. */
  readonly auth: RequestAuth | null
  /** Whether a schedule has started the run. */
  readonly isScheduled: boolean
}

/** Returns an observer for a run without a request, or undefined if the run is not observed. */
export type ObserveRun = (run: BackgroundRun) => RunObserver | undefined

/** An observer that is notified when a WebSocket connection closes. */
export interface SocketObserver {
  onClose(code: number, reason: string): void
}

/** Returns a logger that also passes its lines to the observer. */
export function observeLog(log: Log, observer: RunObserver): Log {
  return logByLevel((level) => (message, fields) => {
    // Callers may pass a message that is not a string, and a logger must not throw.
    observer.onLog(level, typeof message === 'string' ? message : toLogText(message), fields)
    log[level](message, fields)
  })
}

/** Calls `run` and reports its outcome to the observer. For a stream, also reports every chunk. */
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
