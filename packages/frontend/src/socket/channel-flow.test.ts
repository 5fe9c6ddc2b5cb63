import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { open } from './channel.test.fixture.ts'
import { createModelServer, type ModelStep } from './model-server.test.fixture.ts'

describe('a channel', () => {
  it('stops sending while the socket buffer is full', async () => {
    const { channel, fake, clock } = await open({ maxBuffered: 100 })
    fake.last().welcome()
    channel.send(1)
    fake.last().bufferedAmount = 101
    channel.send(2)
    channel.send(3)
    await clock.advance(1000)
    expect(fake.last().messages()).toHaveLength(1)
    expect(channel.state.get().pending).toBe(3)
    fake.last().bufferedAmount = 100
    await clock.advance(50)
    expect(fake.last().messages()).toHaveLength(3)
    channel.close()
    expect(clock.waiting).toBe(0)
  })

  it('detects a half-open connection within 12 seconds after a send', async () => {
    const { channel, fake, clock } = await open()
    fake.last().welcome()
    await clock.advance(15_000)
    channel.send('into the void')
    await clock.advance(4999)
    expect(fake.last().sent.at(-1)).toMatchObject({ o: 'm' })
    await clock.advance(1)
    expect(fake.last().sent.at(-1)).toEqual({ o: 'p' })
    await clock.advance(5000)
    expect(fake.sockets[0]?.isClosed).toBe(true)
    await clock.advance(50)
    fake.last().welcome({ res: true, ack: 0 })
    expect(fake.last().messages()).toEqual([{ o: 'm', i: 1, d: 'into the void', r: 1 }])
  })

  it('waits for a slow handler as long as the server responds', async () => {
    const { channel, fake, clock } = await open()
    fake.last().welcome()
    channel.send('slow')
    for (let turn = 0; turn < 20; turn++) {
      await clock.advance(6000)
      fake.last().deliver({ o: 'q' })
    }
    expect(fake.sockets.map(({ isClosed }) => isClosed)).toEqual([false])
    fake.last().deliver({ o: 'a', i: 1 })
    expect(channel.state.get().pending).toBe(0)
  })

  const step: fc.Arbitrary<ModelStep | { do: 'send'; count: number }> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('send' as const), count: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('handle' as const), count: fc.integer({ min: 1, max: 5 }) }) },
    { weight: 2, arbitrary: fc.constant({ do: 'acknowledge' as const }) },
    { weight: 2, arbitrary: fc.constant({ do: 'reply' as const }) },
    { weight: 2, arbitrary: fc.constant({ do: 'deliver' as const }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        { do: 'fail' as const },
        { do: 'cut' as const },
        { do: 'bye' as const },
        { do: 'restart' as const },
        { do: 'kill' as const },
      ),
    },
  )

  it('loses and reorders nothing and marks repeats across any disconnects and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 6 }),
        async (steps, win) => {
          const { channel, fake, clock, received } = await open({ backoff: { min: 0, random: () => 0 } })
          const server = createModelServer(fake, { win })
          let sent = 0
          for (const action of [...steps, { do: 'cut' } as const]) {
            if (action.do === 'send') for (let n = 0; n < action.count; n++) channel.send(++sent)
            else server.act(action)
            await clock.advance(50)
            server.welcome()
          }
          server.welcome()
          for (let turn = 0; turn < sent + 5 && channel.state.get().pending > 0; turn++) {
            server.act({ do: 'handle', count: 5 })
            server.act({ do: 'acknowledge' })
          }
          server.act({ do: 'deliver' })
          const all = Array.from({ length: sent }, (_, index) => index + 1)
          expect(channel.state.get()).toMatchObject({ status: 'open', pending: 0 })
          // First deliveries are in order, and every repeat is marked.
          expect([...new Set(server.handled.map(({ message }) => message))]).toEqual(all)
          const first = new Set<number>()
          for (const { message, isMarked } of server.handled) {
            expect(isMarked || !first.has(message)).toBe(true)
            first.add(message)
          }
          expect(received).toEqual(server.replies.filter((reply) => !server.lost.has(reply)))
          channel.close()
        },
      ),
    )
  })
})
