import { createStore, type Clock, type WebSocketClass } from '@sdk/frontend'
import { ControlledSocket, type SocketEvents } from './controlled-socket.ts'

interface WireState {
  /** Whether reading from the server is paused. */
  readonly isPaused: boolean
  /** The delay for each frame in either direction, in ms. */
  readonly delayMs: number
  /** Whether new connections fail. */
  readonly isDown: boolean
  readonly attempts: number
}

/** A wire that can be cut, paused and slowed down. Pass its `WebSocket` to a client. */
export type ControlledWire = ReturnType<typeof createControlledWire>

interface ControlledWireOptions extends SocketEvents {
  onTry(): void
  /** @default globalThis.WebSocket */
  readonly WebSocket?: WebSocketClass
  readonly clock: Clock
}

/** Creates a wire that initially passes all frames through. */
export function createControlledWire(options: ControlledWireOptions) {
  const { WebSocket = globalThis.WebSocket } = options
  const state = createStore<WireState>({ isPaused: false, delayMs: 0, isDown: false, attempts: 0 })
  const sockets = new Set<ControlledSocket>()

  return { WebSocket: WiredSocket as unknown as WebSocketClass, state, drop, pause, slow, setDown, held }

  /** Creates a socket that is controlled by the wire. Clients call this function as a constructor. */
  function WiredSocket(url: string, protocols: string[]): ControlledSocket {
    state.patch({ attempts: state.get().attempts + 1 })
    options.onTry()
    const isDown = state.get().isDown
    const Inner = isDown ? DeadSocket : WebSocket
    const socket = new ControlledSocket({ ...options, WebSocket: Inner, url, protocols, onClose })
    sockets.add(socket)
    socket.hold(state.get().isPaused)
    socket.setDelay(state.get().delayMs)
    // Deferred, since the caller must add its listeners first.
    if (isDown) queueMicrotask(() => socket.cut('blocked in the workbench'))
    return socket

    function onClose(code: number, reason: string): void {
      sockets.delete(socket)
      options.onClose(code, reason)
    }
  }

  /** Cuts all connections. Frames in transit are lost, and the connections end without a close frame. */
  function drop(): void {
    for (const socket of sockets) socket.cut('dropped in the workbench')
  }

  /** Pauses or resumes reading. No frames are lost. */
  function pause(isPaused: boolean): void {
    state.patch({ isPaused })
    for (const socket of sockets) socket.hold(isPaused)
  }

  function slow(delayMs: number): void {
    state.patch({ delayMs })
    for (const socket of sockets) socket.setDelay(delayMs)
  }

  function setDown(isDown: boolean): void {
    state.patch({ isDown })
    if (isDown) drop()
  }

  /** Returns the number of frames that are in transit or held back. */
  function held(): number {
    return [...sockets].reduce((sum, socket) => sum + socket.held(), 0)
  }
}

/** A socket that never opens, used while the wire is down. */
const DeadSocket = function () {
  return { protocol: '', readyState: 0, bufferedAmount: 0, addEventListener() {}, send() {}, close() {} }
} as unknown as WebSocketClass
