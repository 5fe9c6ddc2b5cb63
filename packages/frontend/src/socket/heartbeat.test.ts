import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../fake-clock.test.fixture.ts'
import { createHeartbeat } from './heartbeat.ts'

function start(waiting: { since?: number } = {}) {
  const clock = createFakeClock()
  const began = clock.now()
  const events: string[] = []
  const note = (what: string) => (): void => void events.push(`${what} ${clock.now() - began}`)
  const pulse = createHeartbeat({
    clock,
    waitingSince: () => (waiting.since === undefined ? undefined : began + waiting.since),
    onProbe: note('ask'),
    onTimeout: note('gone'),
  })
  return { clock, pulse, events }
}

describe('createPulse', () => {
  it('gives a connection ten seconds to open', async () => {
    const { clock, events } = start()
    await clock.advance(60_000)
    expect(events).toEqual(['gone 10000'])
    expect(clock.waiting).toBe(0)
  })

  it('asks five seconds after a heartbeat was due, and waits five more', async () => {
    const { clock, pulse, events } = start()
    pulse.alive(20_000)
    await clock.advance(60_000)
    expect(events).toEqual(['ask 25000', 'gone 30000'])
  })

  it('takes any frame for an answer', async () => {
    const { clock, pulse, events } = start()
    pulse.alive(20_000)
    await clock.advance(29_999)
    pulse.alive()
    await clock.advance(25_000)
    expect(events).toEqual(['ask 25000', 'ask 54999'])
  })

  it('asks where a message waits for five seconds, and again while it waits', async () => {
    const waiting: { since?: number } = {}
    const { clock, pulse, events } = start(waiting)
    pulse.alive(20_000)
    await clock.advance(1000)
    waiting.since = 1000
    pulse.watch()
    await clock.advance(5500)
    pulse.alive()
    await clock.advance(5500)
    delete waiting.since
    pulse.alive()
    await clock.advance(20_000)
    expect(events).toEqual(['ask 6000', 'ask 11500'])
  })

  it('sets no timer for frames that come and go fast', () => {
    const { clock, pulse } = start({ since: 0 })
    pulse.alive(20_000)
    for (let turn = 0; turn < 1000; turn++) {
      pulse.alive()
      pulse.watch()
    }
    expect(clock.waiting).toBe(1)
  })

  it('asks anew where its timer is late, and never gives up then', async () => {
    const { clock, pulse, events } = start()
    pulse.alive(20_000)
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

  it('asks where the clock was set back, and finds out as soon as ever', async () => {
    const { clock, pulse, events } = start()
    pulse.alive(20_000)
    await clock.advance(10_000)
    const timers = clock.waiting
    clock.freeze(-3_600_000)
    // A timer runs when it is due, whatever the clock says.
    clock.runAll()
    expect(timers).toBe(1)
    expect(events).toEqual(['ask -3590000'])
    await clock.advance(2500)
    expect(events.at(-1)).toBe('gone -3587500')
  })

  it('does not take a page that is slowed down to one timer a second for a frozen one', async () => {
    const { clock, pulse, events } = start()
    pulse.alive(20_000)
    await clock.advance(25_000)
    clock.freeze(6000)
    await clock.advance(0)
    expect(events).toEqual(['ask 25000', 'gone 31000'])
  })

  it('rests until it is asked', async () => {
    const { clock, pulse, events } = start({ since: 0 })
    pulse.alive(20_000)
    pulse.stop()
    pulse.watch()
    await clock.advance(600_000)
    expect(events).toEqual([])
    pulse.probe()
    await clock.advance(600_000)
    expect(events).toEqual(['ask 600000', 'gone 602500'])
  })

  it('is as patient as it is told to be', async () => {
    const clock = createFakeClock()
    const began = clock.now()
    const events: number[] = []
    const note = (): void => void events.push(clock.now() - began)
    const patience = { openTimeoutMs: 10, graceMs: 20, probeTimeoutMs: 30, ackTimeoutMs: 5 }
    const pulse = createHeartbeat({ clock, ...patience, onProbe: note, onTimeout: note })
    pulse.alive(100)
    await clock.advance(1000)
    expect(events).toEqual([120, 150])
  })
})
