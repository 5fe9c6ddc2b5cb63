/** Shows the client's options `fetch` and `WebSocket`: a switch that disconnects this page for a few seconds. */
import { createStore, type WebSocketEvent, type WebSocketLike } from '@sdk/frontend'
import { useSyncExternalStore } from 'react'
import { fetchWithProgress } from './upload.ts'

const network = createStore({ isCut: false, secondsLeft: 0 })

/** Aborts all connections of the page; it stays aborted while the network is cut. */
let wire = new AbortController()
let ticking: ReturnType<typeof setInterval> | undefined

/** Returns whether the network is cut, and for how many seconds. */
export function useNetwork(): { isCut: boolean; secondsLeft: number } {
  return useSyncExternalStore(network.subscribe, network.get)
}

/** Closes all connections of the page, and rejects new ones until the time is over. */
export function cutNetwork(seconds = 8): void {
  network.patch({ isCut: true, secondsLeft: seconds })
  wire.abort(new TypeError('the network is cut'))
  clearInterval(ticking)
  ticking = setInterval(() => {
    const secondsLeft = network.get().secondsLeft - 1
    if (secondsLeft > 0) network.patch({ secondsLeft })
    else restoreNetwork()
  }, 1000)
  // Browsers dispatch this event when they are offline; clients then stop retrying.
  dispatchEvent(new Event('offline'))
}

/** Restores the network. */
export function restoreNetwork(): void {
  clearInterval(ticking)
  wire = new AbortController()
  network.patch({ isCut: false, secondsLeft: 0 })
  dispatchEvent(new Event('online'))
}

/** A `fetch` that fails while the network is cut. */
export const switchedFetch: typeof fetch = (input, init = {}) => {
  const signal = AbortSignal.any([wire.signal, ...(init.signal ? [init.signal] : [])])
  const send = init.body instanceof FormData ? fetchWithProgress : fetch
  return send(input, { ...init, signal })
}

/** A `WebSocket` that closes abnormally (1006) when the network is cut. */
export class SwitchedSocket implements WebSocketLike {
  readonly #wire = wire.signal
  readonly #socket: WebSocket | null

  constructor(url: string, protocols: string[]) {
    this.#socket = this.#wire.aborted ? null : new WebSocket(url, protocols)
  }

  get protocol(): string {
    return this.#socket?.protocol ?? ''
  }

  get readyState(): number {
    return this.#wire.aborted ? WebSocket.CLOSED : (this.#socket?.readyState ?? WebSocket.CLOSED)
  }

  get bufferedAmount(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: WebSocketEvent) => void): void {
    this.#socket?.addEventListener(type, (event) => {
      if (!this.#wire.aborted) listener(event as WebSocketEvent)
    })
    if (type !== 'close') return
    const lose = (): void => listener({ type, code: 1006, reason: 'the network is cut' })
    if (this.#wire.aborted) setTimeout(lose)
    else this.#wire.addEventListener('abort', lose, { once: true })
  }

  send(text: string): void {
    if (!this.#wire.aborted) this.#socket?.send(text)
  }

  close(code?: number, reason?: string): void {
    this.#socket?.close(code, reason)
  }
}
