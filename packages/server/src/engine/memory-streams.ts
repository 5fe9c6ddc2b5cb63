import { ApiError } from '@sdk/protocol'
import { errorFields, type Log } from '../log/log.ts'
import { CircularBuffer } from './circular-buffer.ts'
import type { Engine, EngineFrame } from './engine.ts'
import { type LruNode, LruList } from './lru-list.ts'

/** Limits on the history that is kept for reconnecting clients. The oldest messages are removed first. */
export interface MemoryHistoryOptions {
  /** The maximum number of messages per stream. @default 1000 */
  messages?: number
  /** The maximum age of a message, in seconds. @default 300 */
  seconds?: number
  /** The approximate maximum size of all streams together, in bytes. @default 64 MiB */
  bytes?: number
}

interface MemoryStreamsOptions {
  now: () => number
  log: Log
  history?: MemoryHistoryOptions | undefined
}

/** The streams of one process. */
export interface MemoryStreams extends Pick<Engine, 'publish' | 'subscribe' | 'history'> {
  /** Ends all subscriptions and deletes the history. Later calls to `publish` reject. */
  close(): void
}

/** Creates the in-memory streams of one process. Listeners are called before `publish` returns. */
export function createMemoryStreams({ now, log, history }: MemoryStreamsOptions): MemoryStreams {
  const buffer = createStreamBuffer(now, history)
  const subscribed = new Set<MemoryStream>()
  let isClosed = false

  return {
    publish(name, data) {
      if (isClosed) return Promise.reject(new ApiError('SERVICE_UNAVAILABLE', 'The engine is closed'))
      const stream = buffer.open(name)
      const frame = buffer.append(stream, data)
      deliver(stream, frame, log)
      return Promise.resolve({ epoch: frame.epoch, offset: frame.offset })
    },
    subscribe(name, listen) {
      const stream = buffer.open(name)
      const from = { epoch: stream.epoch, offset: stream.messages.head }
      const listener = { after: from.offset, onFrame: listen }
      stream.listeners.add(listener)
      subscribed.add(stream)
      return Promise.resolve({ from, end: () => leave(stream, listener) })
    },
    history(name, { epoch, offset }, limit) {
      const stream = buffer.find(name)
      const retained = stream?.epoch === epoch ? stream.messages.after(offset, limit) : undefined
      return Promise.resolve(retained?.map((message) => message.frame) ?? 'gap')
    },
    close() {
      isClosed = true
      for (const { listeners } of subscribed) listeners.clear()
      subscribed.clear()
      buffer.clear()
    },
  }

  function leave(stream: MemoryStream, listener: StreamListener): void {
    if (!stream.listeners.delete(listener) || stream.listeners.size > 0) return
    subscribed.delete(stream)
    buffer.leave(stream)
  }
}

/** Delivers each message to all listeners before the next message, even if a listener publishes. */
function deliver(stream: MemoryStream, frame: EngineFrame, log: Log): void {
  if (stream.undelivered !== undefined) return void stream.undelivered.push(frame)
  if (stream.listeners.size === 0) return
  const undelivered = (stream.undelivered = [frame])
  for (const next of undelivered) {
    for (const listener of stream.listeners) if (next.offset > listener.after) callListener(listener, next, log)
  }
  stream.undelivered = undefined
}

/** Calls a listener and logs its errors. */
function callListener(listener: StreamListener, frame: EngineFrame, log: Log): void {
  try {
    listener.onFrame(frame)
  } catch (error) {
    log.error('engine listener failed', errorFields(error))
  }
}

/** A stream listener. */
interface StreamListener {
  /** The offset after which messages are delivered. */
  readonly after: number
  readonly onFrame: (frame: EngineFrame) => void
}

/** A stream with its listeners and history. */
interface MemoryStream {
  readonly name: string
  readonly epoch: string
  readonly listeners: Set<StreamListener>
  readonly messages: CircularBuffer<RetainedMessage>
  /** Messages that are being delivered; undefined if no delivery is in progress. */
  undelivered: EngineFrame[] | undefined
  /** An entry that keeps the stream alive after its last listener has left, as a message would. */
  placeholder: Retained | undefined
}

interface Retained extends LruNode<Retained> {
  readonly stream: MemoryStream
  readonly size: number
}

interface RetainedMessage extends Retained {
  readonly frame: EngineFrame
}

/** The estimated overhead of a message, in addition to its data. */
const MESSAGE_OVERHEAD = 256

/** The estimated overhead of a stream. It is added to the size of the stream's first message or placeholder. */
const STREAM_OVERHEAD = 512

/** The maximum number of expired messages removed per call, so that the first call after an idle period is not slow. */
const EXPIRE_BATCH = 100

/**
 * Creates the buffer for all streams. A stream is kept while it has listeners, messages or a placeholder. If it is
 * created again, it gets a new epoch, so that a position in the old stream is not mistaken for one in the new stream.
 */
function createStreamBuffer(now: () => number, options: MemoryHistoryOptions = {}) {
  const { messages = 1_000, seconds = 300, bytes = 67_108_864 } = options
  const streams = new Map<string, MemoryStream>()
  const order = new LruList<Retained>() // the messages and placeholders of all streams
  const newEpoch = createEpochs()
  let total = 0

  return {
    find,
    /** Finds or creates a stream. */
    open(name: string) {
      const known = find(name)
      if (known !== undefined) return known
      const stream = newStream(name, newEpoch(), messages)
      streams.set(name, stream)
      return stream
    },
    append(stream: MemoryStream, data: string) {
      const message = newMessage(stream, data, now())
      stream.messages.push(message)
      keep(message)
      if (stream.messages.size > messages) drop(stream.messages.first())
      return message.frame
    },
    /**
     * Keeps a stream for a while after its last listener has left, even if it has no messages, because listeners may
     * reconnect.
     */
    leave(stream: MemoryStream) {
      const { placeholder } = stream
      if (placeholder === undefined) return keep((stream.placeholder = newPlaceholder(stream, now())))
      order.remove(placeholder)
      placeholder.at = now()
      order.append(placeholder)
    },
    clear() {
      streams.clear()
      order.clear()
      total = 0
    },
  }

  function find(name: string): MemoryStream | undefined {
    const limit = now() - seconds * 1000
    for (let count = 0; count < EXPIRE_BATCH; count += 1) {
      const { oldest } = order
      if (oldest === undefined || oldest.at > limit) break
      drop(oldest)
    }
    return streams.get(name)
  }

  function keep(item: Retained): void {
    order.append(item)
    total += item.size
    for (let { oldest } = order; oldest !== undefined && total > bytes; oldest = order.oldest) drop(oldest)
  }

  function drop(item: Retained | undefined): void {
    if (item === undefined) return
    const { stream } = item
    order.remove(item)
    total -= item.size
    if (item === stream.placeholder) stream.placeholder = undefined
    else stream.messages.shift()
    if (!isInUse(stream)) streams.delete(stream.name)
  }
}

function newStream(name: string, epoch: string, limit: number): MemoryStream {
  // Leaves space for one more message, because the oldest is removed after the new one is added.
  const messages = new CircularBuffer<RetainedMessage>(limit + 1)
  return { name, epoch, listeners: new Set(), messages, undelivered: undefined, placeholder: undefined }
}

function newMessage(stream: MemoryStream, data: string, at: number): RetainedMessage {
  const { name, epoch, messages } = stream
  const frame = { stream: name, epoch, offset: messages.head + 1, data }
  const size = data.length + MESSAGE_OVERHEAD + (messages.size === 0 ? STREAM_OVERHEAD : 0)
  return { stream, frame, size, at, older: undefined, newer: undefined }
}

function newPlaceholder(stream: MemoryStream, at: number): Retained {
  return { stream, size: stream.name.length + STREAM_OVERHEAD, at, older: undefined, newer: undefined }
}

function isInUse({ listeners, placeholder, messages }: MemoryStream): boolean {
  return listeners.size > 0 || placeholder !== undefined || messages.size > 0
}

/** Returns a function that creates epochs, which are unique to a stream, even across restarts of the process. */
function createEpochs(): () => string {
  let start = ''
  let count = 0
  // Some platforms provide no randomness before the first request.
  return () => (start ||= crypto.randomUUID().slice(0, 8)) + (count += 1).toString(36)
}
