import { andThen } from '../platform/and-then.ts'
import { openChunks, type BodyChunk, type ReplyStream } from '../http/reply-stream.ts'

interface StreamRecording {
  /** The number of characters or bytes after which recording stops. */
  readonly limit: number
  /** A signal that aborts when the client disconnects. */
  readonly signal: AbortSignal
  /**
   * Called once, before the end of the stream is sent, with the recorded chunks, or with null if the stream failed or
   * was aborted. Must not reject.
   */
  ended(pieces: readonly BodyChunk[] | null): Promise<void>
}

/** Records a stream while it is sent. A recording that is larger than the limit might be incomplete. */
export function recordStream(stream: ReplyStream, { limit, signal, ended }: StreamRecording): ReplyStream {
  const pieces: BodyChunk[] = []
  let size = 0
  let ending: Promise<void> | undefined
  const end = (all: readonly BodyChunk[] | null): Promise<void> => {
    signal.removeEventListener('abort', fail)
    return (ending ??= ended(all))
  }
  const fail = (): void => void end(null)
  // A source that ends because the client disconnected is incomplete, even if it does not fail.
  signal.addEventListener('abort', fail)
  if (signal.aborted) fail()

  return {
    chunks: {
      [Symbol.asyncIterator]: () => observeIterator(openChunks(stream), (isWhole) => end(isWhole ? pieces : null)),
    },
    encode: (chunk) =>
      andThen(stream.encode(chunk), (piece) => {
        // Bytes are copied, since the source may reuse their memory.
        if (size <= limit) pieces.push(typeof piece === 'string' ? piece : piece.slice())
        size += piece.length
        return piece
      }),
    encodeError(thrown) {
      fail()
      return stream.encodeError(thrown)
    },
  }
}

function observeIterator(
  source: AsyncIterator<unknown> | Iterator<unknown>,
  ended: (isWhole: boolean) => Promise<void>,
): AsyncIterator<unknown> {
  return {
    async next() {
      try {
        const next = await source.next()
        if (next.done === true) await ended(true)
        return next
      } catch (thrown) {
        await ended(false)
        throw thrown
      }
    },
    async return() {
      await Promise.all([source.return?.(), ended(false)])
      return { done: true, value: undefined }
    },
  }
}
