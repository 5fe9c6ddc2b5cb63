import { isRemote } from '../platform/is-remote.ts'
import type { RunObserver } from './request-observer.ts'

/** The maximum size of a response that is copied, in bytes. */
const MAX_COPY = 1_000_000

/**
 * Replaces `fetch`, so that the observer of a run receives copies of its requests to other machines and of their
 * responses. `find` returns the observer of the current code. Returns a function that restores `fetch`.
 */
export function observeFetch(find: () => RunObserver | undefined): () => void {
  const original = globalThis.fetch
  const observed: typeof fetch = async (input, init) => {
    const observer = find()
    const url = input instanceof Request ? input.url : String(input)
    if (observer?.onFetch === undefined || !isRemote(url) || isReadOnce(init?.body)) return original(input, init)
    const onResponse = observer.onFetch(new Request(input instanceof Request ? input.clone() : input, init))
    const response = await original(input, init)
    return onResponse === undefined ? response : copyResponse(response, onResponse)
  }
  globalThis.fetch = observed
  return () => {
    if (globalThis.fetch === observed) globalThis.fetch = original
  }
}

/** Returns whether a body can be read only once: a stream or an async iterable, which Node accepts as well. */
function isReadOnce(body: unknown): boolean {
  return typeof body === 'object' && body !== null && Symbol.asyncIterator in body
}

/** Passes a copy to `onComplete` after the last chunk. Unlike `clone`, it neither reads ahead nor outlives its reader. */
function copyResponse(response: Response, onComplete: (copy: Response) => void): Response {
  const { status, statusText, headers, body, url } = response
  const init = { status, statusText, headers }
  if (body === null) {
    onComplete(new Response(null, init))
    return response
  }
  const pieces: Uint8Array[] = []
  let size = 0
  const observed = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      size += piece.byteLength
      if (size <= MAX_COPY) pieces.push(piece.slice())
      controller.enqueue(piece)
    },
    flush() {
      if (size <= MAX_COPY) onComplete(new Response(toStream(pieces), init))
    },
  })
  return Object.defineProperty(new Response(body.pipeThrough(observed), init), 'url', { value: url })
}

function toStream(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
}
