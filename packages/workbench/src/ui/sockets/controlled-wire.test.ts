import type { WebSocketEvent } from '@sdk/frontend'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFakeClock } from './fake-clock.test.fixture.ts'
import { createServerSockets } from './server-socket.test.fixture.ts'
import { createControlledWire } from './controlled-wire.ts'

function openWire() {
  const clock = createFakeClock()
  const server = createServerSockets()
  const seen: string[] = []
  const wire = createControlledWire({
    WebSocket: server.WebSocket,
    clock,
    onTry: () => seen.push('try'),
    onOpen: (protocol) => seen.push(`open ${protocol}`),
    onFrame: (from, text) => seen.push(`${from} ${text}`),
    onClose: (code) => seen.push(`close ${code}`),
  })
  const open = () => {
    const socket = new wire.WebSocket('ws://x.dev/ws/chat', ['sdk.v1'])
    const got: string[] = []
    socket.addEventListener('open', () => got.push('open'))
    socket.addEventListener('message', ({ data }: WebSocketEvent) => got.push(String(data)))
    socket.addEventListener('close', ({ code }: WebSocketEvent) => got.push(`close ${code}`))
    return { socket, got, end: server.last() }
  }
  return { wire, clock, server, seen, open }
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ do: 'send' } as const) },
  { weight: 3, arbitrary: fc.constant({ do: 'deliver' } as const) },
  fc.record({ do: fc.constant('pause' as const), on: fc.boolean() }),
  fc.record({ do: fc.constant('slow' as const), ms: fc.integer({ min: 0, max: 400 }) }),
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 400 }) }),
)

/** Runs the steps with an open socket. Returns the frames sent in both directions. */
function play(steps: readonly (typeof step extends fc.Arbitrary<infer S> ? S : never)[]) {
  const bench = openWire()
  const { socket, got, end } = bench.open()
  end.accept()
  const sent: string[] = []
  const delivered: string[] = []
  for (const one of steps) {
    if (one.do === 'send') {
      sent.push(`c${sent.length}`)
      socket.send(`c${sent.length - 1}`)
    } else if (one.do === 'deliver') {
      delivered.push(`s${delivered.length}`)
      end.deliver(`s${delivered.length - 1}`)
    } else if (one.do === 'pause') bench.wire.pause(one.on)
    else if (one.do === 'slow') bench.wire.slow(one.ms)
    else bench.clock.advance(one.ms)
  }
  return { ...bench, socket, got, end, sent, delivered }
}

describe('createControlledWire', () => {
  it('delivers all frames in order and the close last, with any pauses and delays', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const { wire, clock, socket, got, end, sent, delivered } = play(steps)
        wire.pause(false)
        clock.advance(400)
        end.hangUp(1001)
        clock.advance(400)
        expect(end.received).toEqual(sent)
        expect(got).toEqual(['open', ...delivered, 'close 1001'])
        expect([socket.bufferedAmount, wire.held(), clock.waiting]).toEqual([0, 0, 0])
      }),
    )
  })

  it('loses only frames in transit on a drop, and delivers nothing afterwards', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 50 }), (steps) => {
        const { wire, clock, socket, got, end, sent, delivered } = play(steps)
        const [received, came] = [[...end.received], [...got]]
        wire.drop()
        expect(got).toEqual([...came, 'close 1006'])
        expect(clock.waiting).toBe(0)
        wire.pause(false)
        end.deliver('late')
        socket.send('late')
        clock.advance(1000)
        expect(end.received).toEqual(received)
        expect(received).toEqual(sent.slice(0, received.length))
        expect(got).toEqual([...came, 'close 1006'])
        expect(came.slice(1)).toEqual(delivered.slice(0, came.length - 1))
        expect([end.readyState, wire.held()]).toEqual([3, 0])
      }),
    )
  })

  it('delays the close of the server while it is paused', () => {
    const { wire, open } = openWire()
    const { socket, got, end } = open()
    expect(() => socket.send('early')).toThrow('not open')
    end.accept()
    wire.pause(true)
    end.deliver('a')
    end.hangUp(1012)
    expect([socket.readyState, got, wire.held()]).toEqual([1, ['open'], 2])
    socket.send('into the void')
    wire.pause(false)
    expect([socket.readyState, got, end.received]).toEqual([3, ['open', 'a', 'close 1012'], []])
  })

  it('sends frames queued before a close, and delivers nothing to a closing client', () => {
    const { wire, clock, open } = openWire()
    const { socket, got, end } = open()
    end.accept()
    wire.slow(50)
    socket.send('last words')
    socket.close(4000, 'done')
    end.deliver('late')
    expect([socket.readyState, end.readyState]).toEqual([2, 1])
    clock.advance(100)
    expect([end.received, end.readyState, got]).toEqual([['last words'], 3, ['open', 'close 4000']])
  })

  it('fails new connections while it is down, without contacting the server', async () => {
    const { wire, server, seen, open } = openWire()
    open().end.accept()
    wire.setDown(true)
    const { socket, got } = open()
    await Promise.resolve()
    expect([got, socket.readyState, server.sockets.length]).toEqual([['close 1006'], 3, 1])
    wire.setDown(false)
    open().end.accept()
    expect(wire.state.get().attempts).toBe(3)
    expect(seen).toEqual(['try', 'open sdk.v1', 'close 1006', 'try', 'close 1006', 'try', 'open sdk.v1'])
  })

  it('applies its settings to later connections', () => {
    const { wire, open } = openWire()
    wire.pause(true)
    const { got, end } = open()
    end.accept()
    expect(got).toEqual([])
    wire.pause(false)
    expect(got).toEqual(['open'])
  })
})
