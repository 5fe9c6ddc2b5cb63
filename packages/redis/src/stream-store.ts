import type { EngineFrame } from '@sdk/server'
import type { Page } from './follower.ts'
import { parsePosition, type Position, toId } from './position.ts'
import type { Sender } from './sender.ts'

/** Where the streams of an engine are kept, and how long. */
export interface StreamStoreOptions {
  /** Put before the names of keys and channels; for services that share one Redis. @default 'sdk' */
  prefix?: string
  /** How many messages of a stream are kept for those who reconnect. @default 1000 */
  keep?: number
  /** For how many seconds after the last one. @default 300 */
  keepFor?: number
}

/** The streams in Redis. */
export interface StreamStore {
  /** The channel on which a stream's messages are heard. */
  channelOf(stream: string): string
  append(stream: string, data: string): Promise<Position>
  /** What follows a position; without one, only the end of the stream. */
  read(stream: string, position: Position | undefined): Promise<Page>
}

/** Positions outlive messages, so that an epoch lasts while anyone may come back to it. */
const KEEP_HEAD_FOR = 86_400

const PAGE_SIZE = 100

/** The streams behind a connection. */
export function createStreamStore({ send }: Pick<Sender, 'send'>, options: StreamStoreOptions = {}): StreamStore {
  const { prefix = 'sdk', keep = 1_000, keepFor = 300 } = options
  // The braces make Redis Cluster keep the keys of one stream together.
  const headOf = (stream: string): string => `{${prefix}:${stream}}:head`
  const channelOf = (stream: string): string => `{${prefix}:${stream}}:messages`

  return {
    channelOf,
    async append(stream, data) {
      const id = await send(data.length, (redis, run) =>
        redis.sdkPublish(headOf(stream), channelOf(stream), data, run, keep, keepFor, KEEP_HEAD_FOR),
      )
      return parsePosition(id)
    },
    async read(stream, position) {
      const from = position === undefined ? '' : toId(position)
      return toPage(stream, await send(0, (redis) => redis.sdkRead(headOf(stream), channelOf(stream), from, PAGE_SIZE)))
    },
  }
}

/** The message a channel carried. */
export function parseMessage(stream: string, message: string): EngineFrame {
  const space = message.indexOf(' ')
  return toFrame(stream, message.slice(0, space), message.slice(space + 1))
}

function toPage(stream: string, [head = '0-0', ...entries]: readonly string[]): Page {
  const frames: EngineFrame[] = []
  for (let index = 0; index + 1 < entries.length; index += 2) {
    frames.push(toFrame(stream, entries[index] ?? '', entries[index + 1] ?? ''))
  }
  return { head: parsePosition(head), frames, isComplete: frames.length < PAGE_SIZE }
}

function toFrame(stream: string, id: string, data: string): EngineFrame {
  return { stream, ...parsePosition(id), data }
}
