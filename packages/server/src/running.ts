import type { Kv } from './engine/kv.ts'
import { errorFields, type Log } from './log/log.ts'
import type { Presence } from './socket/presence.ts'

/** What an app can do outside of its handlers: in a timer, a worker of a queue, a route of somebody else's. */
export interface Running<Message = unknown> {
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
export type MessageOf<Known> = [Sent<Known>] extends [never] ? unknown : Sent<Known>

type Sent<Known> = {
  [Path in keyof Known]: Known[Path] extends { kind: 'socket'; '~io': { receive: infer Message } } ? Message : never
}[keyof Known]

/** Begins what goes on beside the handlers. What it gives is called to end it. */
export type Start<Message = unknown> = (app: Running<Message>) => Stop | Promise<Stop>

/** Ends what was begun. */
export type Stop = (() => unknown) | void

/** What goes on beside the handlers of an app. */
export interface Starts {
  /** Begins all of it, in order, once. Where one fails, those before it are ended. */
  begin(): Promise<void>
  /** Ends all of it, the last one first; what fails is logged. */
  end(): Promise<void>
}

/** What these functions begin. */
export function createStarts(starts: readonly Start[], app: Running): Starts {
  const stops: Stop[] = []
  let begun: Promise<void> | undefined

  async function beginAll(): Promise<void> {
    try {
      for (const start of starts) stops.push(await start(app))
    } catch (error) {
      await endAll()
      throw error
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
    begin: () => (begun ??= beginAll()),
    async end() {
      await begun?.catch(() => {}) // told to who began it
      await endAll()
    },
  }
}
