import type { StartRun } from '../context/start.ts'
import type { Kv } from '../engine/kv.ts'
import type { ProcessPool } from '../platform/process-pool.ts'
import { describeLocation, type SourceLocation } from '../platform/source-location.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Presence } from '../engine/list-presence.ts'

/** A handle for using the app outside its handlers, such as in a timer, a queue worker or another server's routes. */
export interface AppHandle<Message = unknown> {
  /** The app's logger. */
  readonly log: Log
  /** A small key-value store shared by all processes. */
  readonly kv: Kv
  /**
   * Sends a message to all clients in a room, across all processes. The message type is the union of all messages that
   * the app's sockets send. The message is not validated, since a room does not belong to a single socket.
   */
  publish(room: string, message: Message): Promise<void>
  /**
   * Permanently disconnects all clients in a room. Their sockets close with `FORBIDDEN` and `reason` as the message.
   */
  disconnect(room: string, reason?: string): Promise<void>
  /** Returns the clients in a room, across all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
  /**
   * Starts a run of a durable agent in the background. It has no user, unless `as` names one, and the number of such
   * runs is not limited.
   * @example await app.start(report, { month }, { key: `report ${month}` })
   */
  readonly start: StartRun
  /**
   * Announces that the data with these tags has changed, as `ctx.touch` does.
   * @example await app.touch('stats')
   */
  touch(...tags: string[]): Promise<void>
}

/** The union of all messages that the sockets in these routes send, or `unknown` if there are no sockets. */
export type MessageOf<Known> = [SentMessage<Known>] extends [never] ? unknown : SentMessage<Known>

type SentMessage<Known> = {
  [Path in keyof Known]: Known[Path] extends { kind: 'socket'; '~io': { receive: infer Message } } ? Message : never
}[keyof Known]

/** A function that starts background work. It may return a function that stops the work. */
export type Start<Message = unknown> = (app: AppHandle<Message>) => Stop | Promise<Stop>

/** A function that stops background work, or undefined if there is nothing to stop. */
export type Stop = (() => unknown) | void

/** An `onStart` function and its source location. */
export interface StartHook {
  readonly start: Start
  readonly at?: SourceLocation
}

/** An app's `onStart` functions. */
export interface StartHooks {
  /** Runs the hooks when the app starts, unless another process runs them. */
  begin(): Promise<void>
  /** Runs all hooks in order, once. If a hook fails, the hooks that ran before it are stopped. */
  start(): Promise<void>
  /** Stops all hooks in reverse order, once, and logs failures. No hook starts afterwards. */
  stop(): Promise<void>
  /**
   * Returns the source location of the hook that ran last, such as `src/api/index.ts:12:4`, or an empty string if
   * unknown.
   */
  sourceLocation(): string
}

/** Creates the start hooks for an app. */
export function createStartHooks(
  starts: readonly StartHook[],
  app: AppHandle,
  pool?: Pick<ProcessPool, 'startsLater'>,
): StartHooks {
  const stops: Stop[] = []
  let last: StartHook | undefined
  let begun: Promise<void> | undefined
  let ended: Promise<void> | undefined

  async function beginAll(): Promise<void> {
    try {
      for (last of starts) stops.push(await beginOne(last))
    } catch (error) {
      await endAll()
      throw error
    }
  }

  /** Runs a hook. Logs a warning if it is slow, since an awaited loop would otherwise block the app silently. */
  async function beginOne(one: StartHook): Promise<Stop> {
    const slow = setTimeout(() => {
      app.log.warn(`onStart has not finished after 5 s${describeLocation(one)}: requests wait until it finishes`, {
        hint: 'start long-running work without await, and return a function that stops it',
      })
    }, 5_000)
    try {
      return await one.start(app)
    } finally {
      clearTimeout(slow)
    }
  }

  async function endAll(): Promise<void> {
    for (const stop of stops.splice(0).toReversed()) {
      try {
        await stop?.()
      } catch (error) {
        app.log.error('onStart cleanup failed', errorFields(error))
      }
    }
  }

  const start = (): Promise<void> => (begun ??= ended ?? beginAll())
  return {
    begin: () => (pool?.startsLater === true ? Promise.resolve() : start()),
    start,
    stop: () =>
      (ended ??= Promise.resolve(begun)
        .catch(() => {})
        .then(endAll)), // the caller of start() has already received the error
    sourceLocation: () => last?.at?.toString() ?? '',
  }
}
