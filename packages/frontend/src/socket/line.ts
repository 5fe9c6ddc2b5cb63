import type { ApiError } from '@sdk/protocol'
import { openSocketConnection, type SocketConnection, type SocketConnectionOptions } from './socket-connection.ts'
import { createReconnect, type ReconnectSettings } from './reconnect.ts'

/** Where a socket stands. `closed` and `failed` are ends, the second one with an error. */
export type SocketStatus = 'idle' | 'connecting' | 'open' | 'reconnecting' | 'offline' | 'closed' | 'failed'

/** Has a socket of this status ended for good? */
export function isTerminal(status: SocketStatus): boolean {
  return status === 'closed' || status === 'failed'
}

/** Options of `createLine`. */
export interface LineOptions extends Omit<SocketConnectionOptions, 'force' | 'onClose'>, ReconnectSettings {
  /** Hears every status. Where one is an end, it closes the line and ignores what follows. */
  onStatus(status: SocketStatus, error?: ApiError): void
}

/** One connection after the other. */
export interface Line {
  /** How many bytes wait to leave this machine; not a number where there is no connection. */
  buffered(): number
  send(text: string): void
  /** The page is back: looks whether the connection still lives, or tries at once. */
  wake(): void
  /** The page is offline: no more attempts, until `wake` or until something comes all the same. */
  offline(): void
  close(): void
}

/** Opens a connection, and another one whenever it is lost or the server wants it. */
export function createLine(options: LineOptions): Line {
  const { onStatus } = options
  const reconnect = createReconnect(options, open)
  // `current` carries messages; `next` takes its place once the server has welcomed it.
  let [current, next]: (SocketConnection | undefined)[] = []
  let isOffline = false
  open(false)

  return {
    buffered: () => current?.buffered() ?? NaN,
    send: (text) => current?.send(text),
    wake,
    offline() {
      isOffline = true
      leave()
      current?.stop()
      onStatus('offline')
    },
    close() {
      leave()
      current?.close()
      current = undefined
    },
  }

  function open(force: boolean): void {
    // `force`: a server has just refused a token, so it can be reached, even if the page says that it is offline.
    if (next || (isOffline && !force)) return
    const opening: SocketConnection = (next = openSocketConnection({
      ...options,
      force,
      onReady(welcome) {
        current?.close()
        current = opening
        next = undefined
        reconnect.opened(welcome.spread)
        options.onReady(welcome)
        onStatus('open')
      },
      onFrame(frame) {
        if (frame.o === 'bye') reconnect.leave(frame.after)
        options.onFrame(frame)
        if (isOffline && current) wake()
      },
      onClose(then, error) {
        if (opening === current) current = undefined
        else next = undefined
        // Where the next one is being opened already, its own end decides.
        if (!next && !reconnect.lost(then)) return then === 'finish' ? onStatus('closed') : onStatus('failed', error)
        if (!current) onStatus(isOffline ? 'offline' : 'reconnecting', error)
      },
    }))
  }

  function wake(): void {
    if (current) current.probe()
    else if (!next) reconnect.retryNow()
    if (isOffline) onStatus(current ? 'open' : 'reconnecting')
    isOffline = false
  }

  function leave(): void {
    reconnect.stop()
    next?.close()
    next = undefined
  }
}
