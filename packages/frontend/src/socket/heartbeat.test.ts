import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../fake-clock.test.fixture.ts'
import { createHeartbeat } from './heartbeat.ts'

function start(waiting: { since?: number } = {}) {
  const clock = createFakeClock()
  const began = clock.now()
  const events: string[] = []
  const note = (what: string) => (): void => void events.push(`${what} ${clock.now() - began}`)
  const heartbeat = createHeartbeat({
    clock,
    waitingSince: () => (waiting.since === undefined ? undefined : began + waiting.since),
    onProbe: note('ask'),
    onTimeout: note('gone'),
  })
  return { clock, heartbeat, events }
}

describe('createHeartbeat', () => {
  it('times out if a connection does not open within ten seconds', async () => {
    const { clock, events } = start()
    await clock.advance(60_000)
    expect(events).toEqual(['gone 10000'])
    expect(clock.waiting).toBe(0)
  })

  it('probes five seconds after a missed heartbeat and times out after five more', async () => {
    const { clock, heartbeat, events } = start()
    heartbeat.alive(20_000)
    await clock.advance(60_000)
    expect(events).toEqual(['ask 25000', 'gone 30000'])
  })

  it('treats any frame as a response', async () => {
    const { clock, heartbeat, events } = start()
    heartbeat.alive(20_000)
    await clock.advance(29_999)
    heartbeat.alive()
    await clock.advance(25_000)
    expect(events).toEqual(['ask 25000', 'ask 54999'])
  })

  it('probes if a message is pending for five seconds, and again while it is pending', async () => {
    const waiting: { since?: number } = {}
    const { clock, heartbeat, events } = start(waiting)
    heartbeat.alive(20_000)
    await clock.advance(1000)
    waiting.since = 1000
    heartbeat.watch()
    await clock.advance(5500)
    heartbeat.alive()
    await clock.advance(5500)
    delete waiting.since
    heartbeat.alive()
    await clock.advance(20_000)
    expect(events).toEqual(['ask 6000', 'ask 11500'])
  })

  it('sets no additional timers for frequent frames', () => {
    const { clock, heartbeat } = start({ since: 0 })
    heartbeat.alive(20_000)
    for (let turn = 0; turn < 1000; turn++) {
      heartbeat.alive()
      heartbeat.watch()
    }
    expect(clock.waiting).toBe(1)
  })

  it('probes again instead of timing out if its timer is late', async () => {
    const { clock, heartbeat, events } = start()
    heartbeat.alive(20_000)
    await clock.advance(24_000)
    clock.freeze(3_600_000)
    await clock.advance(0)
    expect(events).toEqual(['ask 3624000'])
    await clock.advance(1000)
    clock.freeze(600_000)
    await clock.advance(0)
    expect(events).toEqual(['ask 3624000', 'ask 4225000'])
    await clock.advance(2500)
    expect(events.at(-1)).toBe('gone 4227500')
  })

  it('probes if the clock was set back and times out as usual', async () => {
    const { clock, heartbeat, events } = start()
    heartbeat.alive(20_000)
    await clock.advance(10_000)
    const timers = clock.waiting
    clock.freeze(-3_600_000)
    // Timers run when they are due, even if the clock was set back.
    clock.runAll()
    expect(timers).toBe(1)
    expect(events).toEqual(['ask -3590000'])
    await clock.advance(2500)
    expect(events.at(-1)).toBe('gone -3587500')
  })

  it('does not mistake throttled timers for a frozen page', async () => {
    const { clock, heartbeat, events } = start()
    heartbeat.alive(20_000)
    await clock.advance(25_000)
    clock.freeze(6000)
    await clock.advance(0)
    expect(events).toEqual(['ask 25000', 'gone 31000'])
  })

  it('does nothing after stop until a probe is requested', async () => {
    const { clock, heartbeat, events } = start({ since: 0 })
    heartbeat.alive(20_000)
    heartbeat.stop()
    heartbeat.watch()
    await clock.advance(600_000)
    expect(events).toEqual([])
    heartbeat.probe()
    await clock.advance(600_000)
    expect(events).toEqual(['ask 600000', 'gone 602500'])
  })

  it('uses the timeouts of its options', async () => {
    const clock = createFakeClock()
    const began = clock.now()
    const events: number[] = []
    const note = (): void => void events.push(clock.now() - began)
    const timeouts = { openTimeoutMs: 10, graceMs: 20, probeTimeoutMs: 30, ackTimeoutMs: 5 }
    const heartbeat = createHeartbeat({ clock, ...timeouts, onProbe: note, onTimeout: note })
    heartbeat.alive(100)
    await clock.advance(1000)
    expect(events).toEqual([120, 150])
  })
})
