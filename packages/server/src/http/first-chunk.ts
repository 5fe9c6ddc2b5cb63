import { endChunks, openChunks, type BodyChunk, type ReplyStream } from './reply-stream.ts'

/** How long the response head waits for the first chunk, in ms. */
const FIRST_CHUNK_TIMEOUT_MS = 5_000

/** How often to check for the deadline and a disconnect while waiting for the first chunk, in ms. */
const CHECK_MS = 1_000

/**
 * Waits until the first chunk of a stream is encoded. Rejects if an error occurs before that, so that the response can
 * have the error's status. Resolves after five seconds without a chunk, so that the head can be sent. A later error
 * becomes the last chunk.
 */
export async function holdFirstChunk(stream: ReplyStream, signal: () => AbortSignal): Promise<ReplyStream> {
  const source = openChunks(stream)
  const first = encodeNext(source, stream)
  try {
    await waitForChunk(first, signal)
  } catch (thrown) {
    void endChunks(source, stream)
    throw thrown
  }
  return {
    chunks: startWith(first, source),
    encode: (chunk) => (chunk instanceof EncodedChunk ? chunk.bytes : stream.encode(chunk)),
    encodeError: (thrown) => stream.encodeError(thrown),
  }
}

/** The number of microtask turns to wait for the first chunk before a deadline is set. */
const IMMEDIATE_TURNS = 16

const RESOLVED = Promise.resolve()

/**
 * Waits for the first chunk, the deadline or a disconnect. Most sources produce a chunk without I/O and need no
 * deadline; setting one would make a short stream about 10 % slower. Checks for a disconnect only once a second,
 * because creating the signal costs more than a timer.
 */
function waitForChunk(first: Promise<unknown>, signal: () => AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let isSettled = false
    let turns = 0
    let waited = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const settle = (): void => {
      isSettled = true
      clearTimeout(timer)
    }
    const check = (): void => {
      waited += CHECK_MS
      if (waited >= FIRST_CHUNK_TIMEOUT_MS || signal().aborted) resolve(undefined)
      else timer = setTimeout(check, CHECK_MS)
    }
    const turn = (): void => {
      if (isSettled) return
      turns += 1
      if (turns < IMMEDIATE_TURNS) void RESOLVED.then(turn)
      else timer = setTimeout(check, CHECK_MS)
    }
    first.then(settle, settle)
    first.then(resolve, reject)
    turn()
  })
}

/** A chunk that has already been encoded. */
class EncodedChunk {
  readonly bytes: BodyChunk

  constructor(bytes: BodyChunk) {
    this.bytes = bytes
  }
}

type Source = ReturnType<typeof openChunks>

async function encodeNext(source: Source, stream: ReplyStream): Promise<IteratorResult<unknown>> {
  const next = await source.next()
  return next.done === true ? next : { done: false, value: new EncodedChunk(await stream.encode(next.value)) }
}

/**
 * Returns the chunks of a source whose first chunk has already been requested. `next` creates no additional promises.
 */
function startWith(first: Promise<IteratorResult<unknown>>, source: Source): AsyncIterable<unknown> {
  let pending: Promise<IteratorResult<unknown>> | null = first
  const chunks = {
    next(): ReturnType<Source['next']> {
      if (pending === null) return source.next()
      const result = pending
      pending = null
      return result
    },
    async return() {
      return (await source.return?.()) ?? { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => chunks as AsyncIterator<unknown> }
}
