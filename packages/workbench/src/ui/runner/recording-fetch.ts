import type { ResponseRecorder } from '../run/stream/recording.ts'

type Fetch = typeof globalThis.fetch

/** A `fetch` that passes the head of an answer and every piece of its body to a recorder. */
export function recordingFetch(fetch: Fetch, recorder: ResponseRecorder): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    recorder.head(
      response.status,
      Array.from(response.headers, ([name, value]) => [name.toLowerCase(), value] as const),
    )
    if (response.body === null) return response
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(data, controller) {
        recorder.add(data)
        controller.enqueue(data)
      },
    })
    const { status, statusText, headers } = response
    return new Response(response.body.pipeThrough(watch), { status, statusText, headers })
  }
}
