import { ApiError } from '@sdk/protocol'
import { describe, expect, it, vi } from 'vitest'
import { createTestHub, EXPIRES_AT, m, of, recorder, settle } from './hub.test.fixture.ts'

describe('a connection', () => {
  it('sends pings while it is idle, and is terminated if the client is silent', async () => {
    const { sdk, raw } = createTestHub({})
    const [one, other] = [sdk(), raw()]
    await one.hello()
    const start = performance.now()
    for (const line of [one, other]) for (let s = 0; s <= 25; s++) line.connection.tick(start + s * 1000)
    expect([of(one, 'p').length, other.texts]).toEqual([1, ['(ping)']])
    other.connection.markAlive()
    for (const line of [one, other]) for (let s = 26; s <= 48; s++) line.connection.tick(start + s * 1000)
    expect([one.isTerminated, other.isTerminated]).toEqual([true, false])
  })

  it('stays alive during a large message, and sends pings meanwhile', async () => {
    const { sdk, raw } = createTestHub({})
    const [one, other] = [sdk(), raw()]
    await one.hello()
    const start = performance.now()
    for (let s = 0; s <= 100; s++) {
      for (const line of [one, other]) {
        line.received += 1_000
        line.connection.tick(start + s * 1000)
      }
    }
    expect([one.isTerminated, of(one, 'p').length]).toEqual([false, 100])
    expect([other.isTerminated, other.texts.length]).toEqual([false, 100])
  })

  it('is closed without a hello frame, or if it is invalid or too large', () => {
    const { sdk } = createTestHub({})
    const [silentOne, wrong, large] = [sdk(), sdk(), sdk()]
    silentOne.connection.tick(performance.now() + 5_001)
    wrong.send(m(1))
    large.connection.receive(
      JSON.stringify({ o: 'hi', v: 1, sid: null, rx: 0, pos: { ['x'.repeat(65_536)]: ['e', 1] } }),
    )
    expect([silentOne.closed[0]?.[0], wrong.closed[0]?.[0], large.closed[0]?.[0]]).toEqual([4408, 4400, 4413])
  })

  it('is closed if the client does not read for too long', async () => {
    const line = createTestHub({}).sdk()
    await line.hello()
    const start = performance.now()
    line.buffered = 10
    for (let s = 0; s <= 14; s++) line.connection.tick(start + s * 1000)
    line.flushed = 5
    for (let s = 15; s <= 29; s++) line.connection.tick(start + s * 1000)
    expect(line.closed).toEqual([])
    line.connection.tick(start + 31_000)
    expect(line.closed).toEqual([[4508, 'the client reads too slowly']])
  })

  it('is closed if open fails', async () => {
    const line = createTestHub({ open: () => Promise.reject(new Error('no database')) }).sdk()
    await line.hello()
    expect(line.closed).toEqual([[4500, 'setup failed']])
  })

  it.each([
    ['UNAUTHORIZED', 4401],
    ['FORBIDDEN', 4403],
    ['NOT_FOUND', 4404],
    ['SERVICE_UNAVAILABLE', 1013],
    ['CONFLICT', 4500],
  ])('is closed like a rejected handshake if open throws %s: %i', async (code, closed) => {
    const line = createTestHub({ open: () => Promise.reject(new ApiError(code, 'not you')) }).sdk()
    await line.hello()
    expect(line.closed).toEqual([[closed, `${code}: not you`]])
  })

  it('does not run the close handler if open has failed', async () => {
    const events: string[] = []
    let isOpen = false
    const { sdk } = createTestHub({
      open: () => (isOpen ? events.push('open') : Promise.reject(new ApiError('FORBIDDEN', 'not yet'))),
      close: () => events.push('close'),
    })
    for (isOpen of [false, true, false]) {
      const line = sdk()
      await line.hello()
      await line.connection.onClose()
    }
    expect(events).toEqual(['open', 'close'])
  })

  it('sends errors to a raw client that is too fast, and is closed if it continues', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const { socket, handled } = recorder()
    const line = createTestHub(socket, { limits: { rate: { perSecond: 1, burst: 2 } } }).raw()
    for (let s = 0; s <= 14; s += 0.5) {
      line.connection.receive('1')
      vi.advanceTimersByTime(500)
    }
    vi.useRealTimers()
    await settle()
    expect(handled.length).toBeLessThan(18)
    expect(line.texts.filter((text) => text.includes('TOO_MANY_REQUESTS')).length).toBeGreaterThan(5)
    expect(line.closed[0]?.[0]).toBe(4429)
  })

  it('is closed when the session of its user expires, and announces the time', async () => {
    const { sdk } = createTestHub({})
    const [ada, nobody] = [sdk('ada'), sdk()]
    const { exp } = await ada.hello()
    expect([exp, (await nobody.hello()).exp]).toEqual([Date.parse(EXPIRES_AT), undefined])
    ada.connection.tick(performance.now())
    expect(ada.closed).toEqual([])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(EXPIRES_AT) })
    for (const line of [ada, nobody]) line.connection.tick(performance.now())
    vi.useRealTimers()
    expect([ada.closed, nobody.closed]).toEqual([[[4401, 'the session has expired']], []])
  })

  it('sends bye, or closes with 1012 if raw, when the hub closes', async () => {
    const { hub, sdk, raw } = createTestHub({})
    const [one, other] = [sdk(), raw()]
    await one.hello()
    await hub.close()
    expect(of(one, 'bye')).toMatchObject([{ after: 0 }])
    expect([one.closed, other.closed]).toEqual([[], [[1012, 'restart']]])
  })

  it('settles after its messages were handled and acked', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { socket } = recorder(() => gate)
    const line = createTestHub(socket).sdk()
    await line.hello()
    line.send(m(1))
    let isSettled = false
    const settled = line.connection.settled().then(() => (isSettled = true))
    await settle()
    expect(isSettled).toBe(false)
    release()
    await settled
    expect(of(line, 'a')).toEqual([{ o: 'a', i: 1 }])
  })

  it.each([
    ['a __proto__ member', '{"a":{"__proto__":{"isAdmin":true}}}', 'UNKNOWN_FIELD', '/a/__proto__'],
    ['an unpaired surrogate', String.raw`{"a":["\ud83d"]}`, 'INVALID_UNICODE', '/a/0'],
    ['a NUL character', String.raw`"\u0000"`, 'INVALID_UNICODE', ''],
    ['a number that is too large', '{"a":1e999}', 'TOO_LARGE', '/a'],
    ['more levels than allowed', '['.repeat(33) + ']'.repeat(33), 'INVALID_VALUE', '/0'.repeat(32)],
  ])('rejects a message with %s before its handler runs', async (_name, data, code, pointer) => {
    const { socket, handled } = recorder()
    const { sdk, raw } = createTestHub(socket)
    const [one, other] = [sdk(), raw()]
    await one.hello()
    one.connection.receive(`{"o":"m","i":1,"d":${data}}`)
    other.connection.receive(data)
    await settle()
    const error = { code: 'INVALID_REQUEST', details: [expect.objectContaining({ code, pointer })] }
    expect(of(one, 'e')).toMatchObject([{ i: 1, error }])
    expect(other.texts.map((text) => JSON.parse(text) as unknown)).toMatchObject([{ error }])
    expect(handled).toEqual([])
  })

  it('is closed if it receives too many bytes before the ok frame', () => {
    const line = createTestHub({}, { limits: { inboxBytes: 1_000 } }).sdk()
    line.send({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }, m(1, 'x'.repeat(600)))
    expect(line.closed).toEqual([])
    line.send(m(2, 'x'.repeat(600)))
    expect(line.closed).toEqual([[4400, 'too many frames before the ok frame']])
  })
})
