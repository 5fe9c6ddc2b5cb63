import type { LiveMessage, Page } from '@sdk/protocol'
import { vi } from 'vitest'
import { createFakeAuthSource } from '../auth/fake-auth-source.test.fixture.ts'
import { createClient } from '../client.ts'
import { createFakeClock, settle } from '../fake-clock.test.fixture.ts'
import { createFakeWebSockets } from '../socket/fake-web-socket.test.fixture.ts'
import { subscribeLive, type LiveSubscription } from './subscribe-live.ts'

export const pagination = { limit: 20, hasMore: false, nextCursor: null, prevCursor: null }
/** Returns a page with items with these ids. */
export const page = (...ids: number[]): Page<{ id: number }> => ({ data: ids.map((id) => ({ id })), pagination })

/** Returns a client without a network, and functions for the server's side. */
export function setUp() {
  const clock = createFakeClock()
  const fake = createFakeWebSockets()
  const auth = createFakeAuthSource()
  auth.become('ada')
  const client = createClient({ baseUrl: 'http://x.dev', WebSocket: fake.WebSocket, clock, auth })
  let sent = 0
  const events = { onData: vi.fn<(data: unknown) => void>(), onError: vi.fn<(error: Error) => void>() }
  const onLive = vi.fn<(isLive: boolean) => void>()
  return {
    ...events,
    onLive,
    client,
    clock,
    fake,
    auth,
    subscribe: (query = {}): LiveSubscription =>
      subscribeLive(client, { route: 'GET /api/v1/tasks', query }, { ...events, onLive }),
    async welcome(): Promise<void> {
      await settle()
      while (fake.last().isClosed) await clock.advance(100)
      sent = 0
      fake.last().welcome()
    },
    deliver: (message: LiveMessage) => fake.last().deliver({ o: 'm', i: ++sent, d: message }),
    requests: () =>
      fake
        .last()
        .messages()
        .map(({ d }) => d),
  }
}
