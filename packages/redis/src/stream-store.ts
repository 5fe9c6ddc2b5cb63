import type { Engine, EngineFrame, EnginePosition } from '@sdk/server'
import type { StreamSource } from '@sdk/server/engine'
import type { Sender } from './sender.ts'

/** Options for an engine's streams. */
export interface StreamStoreOptions {
  /** The prefix for key and channel names, for services that share one Redis server. @default 'sdk' */
  prefix?: string
  /** The number of messages kept per stream, for clients that reconnect. @default 1000 */
  keep?: number
  /** The number of seconds for which the messages in a stream are kept after its last message. @default 300 */
  keepFor?: number
}

/** The store for streams in Redis. */
export interface StreamStore extends Pick<Engine, 'publish' | 'history'>, Pick<StreamSource, 'read'> {
  /** Returns the channel for a stream's messages. */
  channelOf(stream: string): string
  /** Returns the stream of a channel. */
  streamOf(channel: string): string
}

/**
 * The number of seconds to keep positions. They outlive messages, so that an epoch lasts as long as clients can resume
 * from it.
 */
const KEEP_HEAD_FOR = 86_400

const REDIS_PAGE_SIZE = 100

/** Creates the store for streams on a connection. */
export function createStreamStore({ send }: Pick<Sender, 'send'>, options: StreamStoreOptions = {}): StreamStore {
  const { prefix = 'sdk', keep = 1_000, keepFor = 300 } = options
  // The braces make Redis Cluster keep the keys of a stream on one node.
  const headOf = (stream: string): string => `{${prefix}:${stream}}:head`
  const channelOf = (stream: string): string => `{${prefix}:${stream}}:messages`

  const [before, after] = channelOf('\0')
    .split('\0')
    .map((part) => part.length) as [number, number]

  return {
    channelOf,
    streamOf: (channel) => channel.slice(before, channel.length - after),
    async publish(stream, data) {
      const id = await send(data.length, (redis, run) =>
        redis.sdkPublish(headOf(stream), channelOf(stream), run, KEEP_HEAD_FOR, data, keep, keepFor),
      )
      return parsePosition(id)
    },
    async read(stream, position) {
      const keys = [headOf(stream), channelOf(stream)] as const
      if (position === undefined) {
        const head = await send(0, (redis, run) => redis.sdkOpen(...keys, run, KEEP_HEAD_FOR))
        return { head: parsePosition(head), frames: [], isComplete: true }
      }
      const [head = '0-0', ...entries] = await send(0, (redis) =>
        redis.sdkRead(...keys, `${position.epoch}-${position.offset}`, REDIS_PAGE_SIZE),
      )
      const frames = toEngineFrames(stream, entries)
      return { head: parsePosition(head), frames, isComplete: frames.length < REDIS_PAGE_SIZE }
    },
    async history(stream, { epoch, offset }, limit) {
      // The position comes from a client, so it is validated.
      if (!Number.isSafeInteger(offset) || offset < 0) return 'gap'
      const count = Math.max(1, limit) // a gap cannot be detected without reading an entry
      const entries = await send(0, (redis, run) =>
        redis.sdkHistory(headOf(stream), channelOf(stream), run, epoch, offset, count),
      )
      return entries === null ? 'gap' : toEngineFrames(stream, entries).slice(0, Math.max(0, limit))
    },
  }
}

/** Parses a message from a channel. */
export function parseMessage(stream: string, message: string): EngineFrame {
  const space = message.indexOf(' ')
  return toFrame(stream, message.slice(0, space), message.slice(space + 1))
}

function toEngineFrames(stream: string, entries: readonly string[]): EngineFrame[] {
  const frames: EngineFrame[] = []
  for (let index = 0; index + 1 < entries.length; index += 2) {
    frames.push(toFrame(stream, entries[index] ?? '', entries[index + 1] ?? ''))
  }
  return frames
}

function toFrame(stream: string, id: string, data: string): EngineFrame {
  return { stream, ...parsePosition(id), data }
}

/** Parses an entry id, which is the message's position as `epoch-offset`. */
function parsePosition(id: string): EnginePosition {
  const dash = id.indexOf('-')
  return { epoch: id.slice(0, dash), offset: Number(id.slice(dash + 1)) }
}
