import type { Engine, EngineFrame, EnginePosition } from '@sdk/server'
import type { StreamSource } from '@sdk/server/engine'
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
export interface StreamStore extends Pick<Engine, 'publish' | 'history'>, Pick<StreamSource, 'read'> {
  /** The channel on which a stream's messages are heard. */
  channelOf(stream: string): string
  /** The stream of a channel. */
  streamOf(channel: string): string
}

/** Positions outlive messages, so that an epoch lasts while anyone may come back to it. */
const KEEP_HEAD_FOR = 86_400

const REDIS_PAGE_SIZE = 100

/** The streams behind a connection. */
export function createStreamStore({ send }: Pick<Sender, 'send'>, options: StreamStoreOptions = {}): StreamStore {
  const { prefix = 'sdk', keep = 1_000, keepFor = 300 } = options
  // The braces make Redis Cluster keep the keys of one stream together.
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
      // Anyone may have sent us the position.
      if (!Number.isSafeInteger(offset) || offset < 0) return 'gap'
      const count = Math.max(1, limit) // with none it could not be told whether the next one is there
      const entries = await send(0, (redis, run) =>
        redis.sdkHistory(headOf(stream), channelOf(stream), run, epoch, offset, count),
      )
      return entries === null ? 'gap' : toEngineFrames(stream, entries).slice(0, Math.max(0, limit))
    },
  }
}

/** The message a channel carried. */
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

/** The id of an entry is the place of its message, as `epoch-offset`. */
function parsePosition(id: string): EnginePosition {
  const dash = id.indexOf('-')
  return { epoch: id.slice(0, dash), offset: Number(id.slice(dash + 1)) }
}
