/** Shows how to add upload progress, which `fetch` does not report, to the client. */
import { createStore } from '@sdk/frontend'
import { useSyncExternalStore } from 'react'

/** From 0 to 1, or null if no upload is running. */
const progress = createStore<{ share: number | null }>({ share: null })

/** Returns the progress of the running upload. */
export function useUploadProgress(): number | null {
  return useSyncExternalStore(progress.subscribe, progress.get).share
}

/** A `fetch` based on `XMLHttpRequest`, which reports progress. */
export const fetchWithProgress: typeof fetch = (input, init = {}) => {
  const request = new XMLHttpRequest()
  request.open(init.method ?? 'GET', input instanceof Request ? input.url : input)
  new Headers(init.headers).forEach((value, name) => request.setRequestHeader(name, value))
  request.responseType = 'blob'
  request.upload.addEventListener('progress', ({ loaded, total }) => progress.patch({ share: loaded / total }))
  return new Promise<Response>((resolve, reject) => {
    const stop = (): void => {
      request.abort()
      reject(init.signal?.reason as Error)
    }
    if (init.signal?.aborted === true) return stop()
    init.signal?.addEventListener('abort', stop)
    request.addEventListener('load', () => resolve(toResponse(request)))
    request.addEventListener('error', () => reject(new TypeError('the upload was cut off')))
    request.send(init.body as FormData)
  }).finally(() => progress.patch({ share: null }))
}

function toResponse(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r\n/)
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const body = request.status === 204 ? null : (request.response as Blob) // a 204 response cannot have a body
  return new Response(body, { status: request.status, headers })
}
