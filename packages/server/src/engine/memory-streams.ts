import { ApiError } from '@sdk/protocol'
import { errorFields, type Log } from '../log/log.ts'
import type { Engine, EngineFrame } from './engine.ts'
import {
  createStreamBuffer,
  type MemoryHistoryOptions,
  type MemoryStream,
  type StreamListener,
} from './stream-buffer.ts'

interface MemoryStreamsOptions {
  now: () => number
  log: Log
  history?: MemoryHistoryOptions | undefined
}

/** The streams of one process. */
export interface MemoryStreams extends Pick<Engine, 'publish' | 'subscribe' | 'history'> {
  /** Ends all subscriptions, and forgets what was said; from now on nothing is said any more. */
  close(): void
}

/** The streams of one process, in its memory. Who is told, is told before `publish` returns. */
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

/** Everyone hears one message before anyone hears the next, also when a listener publishes. */
function deliver(stream: MemoryStream, frame: EngineFrame, log: Log): void {
  if (stream.undelivered !== undefined) return void stream.undelivered.push(frame)
  if (stream.listeners.size === 0) return
  const undelivered = (stream.undelivered = [frame])
  for (const next of undelivered) {
    for (const listener of stream.listeners) if (next.offset > listener.after) callListener(listener, next, log)
  }
  stream.undelivered = undefined
}

/** A listener that throws is heard of in the log, and by nobody else. */
function callListener(listener: StreamListener, frame: EngineFrame, log: Log): void {
  try {
    listener.onFrame(frame)
  } catch (error) {
    log.error('a listener of the engine failed', errorFields(error))
  }
}
