import { andThen } from '../platform/and-then.ts'
import { openChunks, type BodyChunk, type ReplyStream } from '../http/reply-stream.ts'

interface StreamRecording {
  /** Beyond this many characters or bytes it takes no more. */
  readonly limit: number
  /** Aborts when the caller goes away. */
  readonly signal: AbortSignal
  /** Hears once, before the end is sent, all that was; null where the stream failed or was cut off. Never rejects. */
  ended(pieces: readonly BodyChunk[] | null): Promise<void>
}

/** The same stream, of which a copy is made while it is sent. Over the limit the copy is not whole; its size tells. */
export function recordStream(stream: ReplyStream, { limit, signal, ended }: StreamRecording): ReplyStream {
  const pieces: BodyChunk[] = []
  let size = 0
  let ending: Promise<void> | undefined
  const end = (all: readonly BodyChunk[] | null): Promise<void> => {
    signal.removeEventListener('abort', fail)
    return (ending ??= ended(all))
  }
  const fail = (): void => void end(null)
  // A source that ends by itself because its caller left has not said all it would have.
  signal.addEventListener('abort', fail)
  if (signal.aborted) fail()

  return {
    chunks: {
      [Symbol.asyncIterator]: () => observeIterator(openChunks(stream), (isWhole) => end(isWhole ? pieces : null)),
    },
    encode: (chunk) =>
      andThen(stream.encode(chunk), (piece) => {
        // A copy of bytes, since their source may use the memory again.
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
