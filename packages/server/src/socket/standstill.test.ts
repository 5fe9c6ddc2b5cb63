import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createTestHub, m, of, recorder, settle } from './hub.test.fixture.ts'

describe('a process that was suspended, as by SIGSTOP', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())

  it('marks messages as redelivered until the client has responded to a ping', async () => {
    const { socket, ids } = recorder()
    const line = createTestHub(socket).sdk()
    await line.hello()
    line.send(m(1))
    await settle()
    vi.advanceTimersByTime(30_000)
    // It waited in the buffer of the operating system, which is read before any timer runs.
    line.send(m(2))
    await settle()
    line.connection.tick(performance.now())
    line.send(m(3), { o: 'q' }, m(4))
    await settle()
    expect(of(line, 'p')).toHaveLength(1)
    expect(ids.map((id) => id.slice(id.lastIndexOf('-') + 1))).toEqual(['1', '2 again', '3 again', '4'])
  })

  it('ignores the response to an earlier ping', async () => {
    const { socket, ids } = recorder()
    const line = createTestHub(socket, { limits: { heartbeat: 0 } }).sdk()
    await line.hello()
    line.connection.tick(performance.now())
    vi.advanceTimersByTime(30_000)
    line.connection.tick(performance.now())
    line.send({ o: 'q' }, m(1), { o: 'q' }, m(2))
    await settle()
    expect(ids.map((id) => id.slice(id.lastIndexOf('-') + 1))).toEqual(['1 again', '2'])
  })

  it('marks messages that were queued before the suspension', async () => {
    let finish = (): void => {}
    const { socket, ids } = recorder(() => new Promise<void>((resolve) => (finish = resolve)))
    const line = createTestHub(socket).sdk()
    await line.hello()
    line.send(m(1), m(2))
    await settle()
    vi.advanceTimersByTime(30_000)
    finish()
    await settle()
    expect(ids.map((id) => id.slice(id.lastIndexOf('-') + 1))).toEqual(['1', '2 again'])
  })
})
