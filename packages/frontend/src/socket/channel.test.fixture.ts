import { createChannel, type ChannelOptions } from './channel.ts'
import { createFakeClock, settle } from '../fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'

/** Creates a channel without a network. */
export async function open(change: Partial<ChannelOptions> = {}) {
  const clock = createFakeClock()
  const fake = createFakeWebSockets()
  const channel = createChannel({
    url: 'ws://x.dev/ws/a',
    WebSocket: fake.WebSocket,
    clock,
    backoff: { random: () => 0 },
    ...change,
  })
  const received: unknown[] = []
  channel.onMessage((message) => received.push(message))
  await settle()
  const reconnect = async (): Promise<void> => {
    fake.last().hangUp(1006)
    await clock.advance(30_000)
  }
  return { clock, fake, channel, received, reconnect }
}
