import type { Kv } from '../engine/kv.ts'
import { describeLocation, type SourceLocation } from '../platform/source-location.ts'
import { errorFields, type Log } from '../log/log.ts'
import type { Presence } from '../engine/list-presence.ts'

/** The app outside of its handlers: in a timer, a queue worker, a route of another server. */
export interface AppHandle<Message = unknown> {
  /** Where its lines go. */
  readonly log: Log
  /** A small store that all processes share. */
  readonly kv: Kv
  /**
   * Sends a message to everyone in a room, in every process. Its type is what the app's sockets send; it is not checked
   * against a schema, as a room is of no socket.
   */
  publish(room: string, message: Message): Promise<void>
  /** Sends everyone in a room away for good: their sockets end as `FORBIDDEN`, with this message. */
  disconnect(room: string, reason?: string): Promise<void>
  /** Who is in a room, in all processes. */
  presence<Data = unknown>(room: string): Promise<Presence<Data>[]>
}

/** What the sockets among these routes send; anything where there are none. */
export type MessageOf<Known> = [SentMessage<Known>] extends [never] ? unknown : SentMessage<Known>

type SentMessage<Known> = {
  [Path in keyof Known]: Known[Path] extends { kind: 'socket'; '~io': { receive: infer Message } } ? Message : never
}[keyof Known]

/** Begins what goes on beside the handlers. What it gives is called to end it. */
export type Start<Message = unknown> = (app: AppHandle<Message>) => Stop | Promise<Stop>

/** Ends what was begun. */
export type Stop = (() => unknown) | void

/** One of them, and where in the code it stands. */
export interface StartHook {
  readonly start: Start
  readonly at?: SourceLocation
}

/** The `onStart` functions of an app. */
export interface StartHooks {
  /** Runs all of them, in order, once. Where one fails, those before it are stopped. */
  start(): Promise<void>
  /** Stops all of them, the last one first, once; failures are logged, and none starts after it. */
  stop(): Promise<void>
  /** Where the last one stands that began, or could not: `src/api/index.ts:12:4`. Empty where that is not known. */
  sourceLocation(): string
}

/** Creates the hooks of these functions. */
export function createStartHooks(starts: readonly StartHook[], app: AppHandle): StartHooks {
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

  /** A loop that is waited for would let the app wait, too, and nobody would know for what. */
  async function beginOne(one: StartHook): Promise<Stop> {
    const slow = setTimeout(() => {
      app.log.warn(`onStart has not come to its end${describeLocation(one)}: no request is answered before it has`, {
        hint: 'begin what goes on without await, and return what ends it',
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
        app.log.error('what was begun in onStart could not be ended', errorFields(error))
      }
    }
  }

  return {
    start: () => (begun ??= ended ?? beginAll()),
    stop: () =>
      (ended ??= Promise.resolve(begun)
        .catch(() => {})
        .then(endAll)), // what failed was told to who began it
    sourceLocation: () => last?.at?.toString() ?? '',
  }
}
