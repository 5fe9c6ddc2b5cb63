/** The calls of `fetch` while a run is tested. */
export interface FetchWatch {
  /** The calls as text: the method, the URL and, if it is text, the body. */
  readonly calls: readonly string[]
  stop(): void
}

/** Starts to record the calls of `fetch`. */
export function watchFetch(): FetchWatch {
  const original = globalThis.fetch
  const calls: string[] = []
  globalThis.fetch = (input, init) => {
    const { url, method } = input instanceof Request ? input : { url: String(input), method: 'GET' }
    const body = typeof init?.body === 'string' ? ` ${init.body}` : ''
    calls.push(`fetch ${init?.method ?? method} ${url}${body}`)
    return original(input, init)
  }
  return { calls, stop: () => void (globalThis.fetch = original) }
}
