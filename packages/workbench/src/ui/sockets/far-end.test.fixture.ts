import type { WebSocketClass, WebSocketEvent, WebSocketLike } from '@sdk/frontend'

/** The server's end of a connection without a network. */
export interface FarEnd extends WebSocketLike {
  readonly url: string
  readonly protocols: string[]
  readyState: number
  /** The frames that the server received. */
  readonly received: string[]
  accept(protocol?: string): void
  deliver(text: string): void
  hangUp(code: number, reason?: string): void
}

/** Creates WebSockets without a network; the server's ends are in `ends`. */
export function createFarEnds(): { WebSocket: WebSocketClass; ends: FarEnd[]; last(): FarEnd } {
  const ends: FarEnd[] = []
  const WebSocket = function (url: string, protocols: string[]): FarEnd {
    const end = createFarEnd(url, protocols)
    ends.push(end)
    return end
  } as unknown as WebSocketClass
  return {
    WebSocket,
    ends,
    last() {
      const end = ends.at(-1)
      if (end === undefined) throw new Error('no socket was opened')
      return end
    },
  }
}

function createFarEnd(url: string, protocols: string[]): FarEnd {
  const listeners: [type: string, listener: (event: WebSocketEvent) => void][] = []
  const emit = (event: WebSocketEvent): void =>
    listeners.forEach(([type, listener]) => type === event.type && listener(event))
  let protocol = ''
  const end: FarEnd = {
    url,
    protocols,
    received: [],
    bufferedAmount: 0,
    readyState: 0,
    get protocol() {
      return protocol
    },
    addEventListener: (type, listener) => void listeners.push([type, listener]),
    send: (text) => void end.received.push(text),
    close: (code = 1005, reason = '') => end.readyState < 3 && end.hangUp(code, reason),
    accept(accepted = protocols[0] ?? '') {
      protocol = accepted
      end.readyState = 1
      emit({ type: 'open' })
    },
    deliver: (data) => emit({ type: 'message', data }),
    hangUp(code, reason = '') {
      end.readyState = 3
      emit({ type: 'close', code, reason })
    },
  }
  return end
}
