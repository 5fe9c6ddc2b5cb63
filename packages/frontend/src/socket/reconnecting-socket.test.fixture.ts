import { createFakeClock } from '../fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'
import type { PageEvent } from '../page-events.ts'
import { createReconnectingSocket, type ReconnectingSocketOptions, type SocketStatus } from './reconnecting-socket.ts'

/** Creates a socket without a network, clock or page. Its backoff is not random: it always waits the minimum time. */
export function open(change: Partial<ReconnectingSocketOptions> = {}) {
  const clock = createFakeClock()
  const fake = createFakeWebSockets()
  const statuses: [SocketStatus, string?][] = []
  const frames: unknown[] = []
  const pageListeners = new Set<(event: PageEvent) => void>()
  const socket = createReconnectingSocket({
    url: 'ws://x.dev/ws/chat',
    WebSocket: fake.WebSocket,
    clock,
    backoff: { random: () => 0 },
    page(listener) {
      pageListeners.add(listener)
      return () => void pageListeners.delete(listener)
    },
    hello: () => ({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }),
    onReady: () => {},
    onFrame: (frame) => frames.push(frame),
    onStatus: (status, error) => statuses.push(error === undefined ? [status] : [status, error.code]),
    ...change,
  })
  return { clock, fake, statuses, frames, socket, pageListeners, emitPageEvent }

  function emitPageEvent(event: PageEvent): void {
    for (const listener of pageListeners) listener(event)
  }
}
