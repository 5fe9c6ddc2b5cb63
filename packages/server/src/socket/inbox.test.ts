import type { Peer } from '../define/peer.ts'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createTestHub, m, of, recorder, settle, silent } from './hub.test.fixture.ts'
import type { AnySocketDefinition } from '../define/socket.ts'

describe('messages of a client', () => {
  it('are handled in order, one at a time, and acked together after their handlers', async () => {
    let running = 0
    const { socket, handled } = recorder(async (_, ms) => {
      expect(++running).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, ms))
      running--
    })
    const line = createTestHub(socket).sdk()
    await line.hello()
    line.send(m(1, 8), m(2, 0), m(3, 4))
    expect(of(line, 'a')).toEqual([])
    await expect.poll(() => of(line, 'a').at(-1)).toEqual({ o: 'a', i: 3 })
    expect(handled).toEqual([8, 0, 4])
  })

  it('are acked immediately if there are many', async () => {
    const line = createTestHub({ message: () => {} }).sdk()
    await line.hello()
    line.send(...Array.from({ length: 40 }, (_, index) => m(index + 1)))
    expect(of(line, 'a')).toEqual([{ o: 'a', i: 32 }])
    await expect.poll(() => of(line, 'a').at(-1)).toEqual({ o: 'a', i: 40 })
  })

  it('are handled once, even if they are sent again or over a new connection', async () => {
    const { socket, handled, ids } = recorder()
    const { sdk } = createTestHub(socket)
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1), m(2), m(2, 2, 1))
    await settle()
    await first.connection.onClose()
    const second = sdk()
    expect(await second.hello({ sid })).toMatchObject({ res: true, ack: 2 })
    second.send(m(2, 2, 1), m(3, 3, 1))
    await expect.poll(() => of(second, 'a').at(-1)).toEqual({ o: 'a', i: 3 })
    expect(handled).toEqual([1, 2, 3])
    expect(new Set(ids.map((id) => id.split('-').slice(0, -1).join('-'))).size).toBe(1)
    expect(ids.map((id) => id.split('-').at(-1))).toEqual(['1', '2', '3 again'])
  })

  it('are handled after the connection is lost, and not again after a reconnect', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { socket, handled } = recorder(() => gate)
    const { sdk } = createTestHub(socket)
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1), m(2))
    void first.connection.onClose()
    const second = sdk()
    expect(await second.hello({ sid })).toMatchObject({ res: true, ack: 0 })
    second.send(m(1, 1, 1), m(2, 2, 1), m(3))
    release()
    await expect.poll(() => of(second, 'a').at(-1)).toEqual({ o: 'a', i: 3 })
    expect(handled).toEqual([1, 2, 3])
  })

  it('keep their ids on another server and are marked as redelivered', async () => {
    const { socket, ids } = recorder()
    const first = createTestHub(socket).sdk()
    const { sid } = await first.hello()
    first.send(m(1), m(2))
    await settle()
    const second = createTestHub(socket).sdk()
    const ok = await second.hello({ sid, rx: 7 })
    expect(ok).toMatchObject({ res: true, ack: 0 })
    expect(of(second, 'gap')).toEqual([{ o: 'gap', from: 7, to: 7 }])
    second.send(m(2, 2, 1), m(3))
    await settle()
    expect(ids[2]).toBe(`${ids[1]} again`)
    expect(ids[3]?.endsWith('-3')).toBe(true)
  })

  it('are not handled again by another process with the same engine', async () => {
    const { socket, handled } = recorder()
    const engine = memoryEngine({ log: silent })
    const first = createTestHub(socket, { engine }).sdk()
    const { sid } = await first.hello()
    first.send(m(1), m(2))
    await expect.poll(() => of(first, 'a')).toHaveLength(1)
    const second = createTestHub(socket, { engine }).sdk()
    expect(await second.hello({ sid })).toMatchObject({ res: true, ack: 2 })
    second.send(m(2, 2, 1), m(3))
    await settle()
    expect(handled).toEqual([1, 2, 3])
  })

  it('get an error if they fail, and count as handled', async () => {
    const socket: AnySocketDefinition = {
      receive: z.object({ text: z.string() }),
      message: (_: Peer, { text }: never) => {
        if (text === 'throw') throw new Error('secret')
        return text === 'reject' ? Promise.reject(new Error('secret')) : undefined
      },
    }
    const line = createTestHub(socket).sdk()
    await line.hello()
    line.send(m(1), m(2, { text: 'throw' }), m(3, { text: 'reject' }), m(4, { text: 'fine' }))
    await expect.poll(() => of(line, 'a').at(-1)).toEqual({ o: 'a', i: 4 })
    const codes = of(line, 'e').map(({ i, error }) => [i, error.code])
    expect(codes).toEqual([
      [1, 'INVALID_REQUEST'],
      [2, 'INTERNAL_SERVER_ERROR'],
      [3, 'INTERNAL_SERVER_ERROR'],
    ])
    expect(line.texts.join()).not.toContain('secret')
    expect(line.closed).toEqual([])
  })

  it('get their error after a reconnect if they fail while the client is away', async () => {
    const { sdk } = createTestHub({ message: () => Promise.reject(new Error('no')) })
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1))
    await first.connection.onClose()
    const second = sdk()
    await second.hello({ sid })
    expect(of(second, 'e')).toMatchObject([{ i: 1 }])
  })

  it('close the connection if they skip a number', async () => {
    const line = createTestHub({}).sdk()
    await line.hello()
    line.send(m(1), m(3))
    expect(line.closed).toEqual([[4400, 'message 2 is missing']])
  })

  it('are not read faster than they are handled', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { socket, handled } = recorder(() => gate)
    const line = createTestHub(socket, { limits: { inbox: 4, rate: false } }).sdk()
    await line.hello()
    line.send(m(1), m(2), m(3), m(4), m(5))
    expect(line.isPaused).toBe(false)
    line.send(m(6))
    expect(line.isPaused).toBe(true)
    // A client that sent a ping in the meantime accepts any frame as a pong.
    line.connection.tick(performance.now())
    expect(of(line, 'p')).toHaveLength(1)
    release()
    await expect.poll(() => handled).toHaveLength(6)
    expect(line.isPaused).toBe(false)
  })

  it('are throttled if they are too fast, and never rejected', async () => {
    const { socket, handled } = recorder()
    const line = createTestHub(socket, { limits: { rate: { perSecond: 20, burst: 5 } } }).sdk()
    await line.hello()
    const started = performance.now()
    line.send(...Array.from({ length: 10 }, (_, index) => m(index + 1)))
    await expect.poll(() => handled).toHaveLength(10)
    expect(performance.now() - started).toBeGreaterThan(200)
    expect(of(line, 'e')).toEqual([])
  })

  it('are accepted before the ok frame', async () => {
    const { socket, handled } = recorder()
    const line = createTestHub(socket).sdk()
    line.send({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }, m(1), m(2))
    await expect.poll(() => handled).toEqual([1, 2])
  })

  it('can continue after an ack that the engine does not know', async () => {
    const { socket, handled } = recorder()
    const engine = memoryEngine({ log: silent })
    const first = createTestHub(socket, { engine }).sdk()
    const { sid } = await first.hello()
    first.send(m(1), m(2))
    await expect.poll(() => of(first, 'a')).toHaveLength(1)
    const second = createTestHub(socket, { engine }).sdk()
    expect(await second.hello({ sid })).toMatchObject({ res: true, ack: 2 })
    second.send(m(2, 2, 1), m(6), m(7), m(9))
    await expect.poll(() => handled).toEqual([1, 2, 6, 7])
    expect(second.closed).toEqual([[4400, 'message 8 is missing']])
  })

  it.each(['throws', 'closes'])(
    'are not handled if open %s, and are accepted over another connection later',
    async (how) => {
      const { socket, handled } = recorder()
      let isOpen = false
      const open = async (peer: Peer): Promise<void> => {
        await settle()
        if (isOpen) return
        if (how === 'throws') throw new Error('not you')
        peer.close('not you')
      }
      const { sdk, raw } = createTestHub({ ...socket, open }, { limits: { inbox: 2 } })
      const [first, bare] = [sdk(), raw()]
      first.send({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }, m(1), m(2), m(3), m(4))
      bare.connection.receive('1')
      await expect.poll(() => first.closed.length + bare.closed.length).toBe(2)
      await settle()
      expect(handled).toEqual([])
      await first.connection.onClose()
      isOpen = true
      const second = sdk()
      const ok = of(first, 'ok')[0]
      expect(await second.hello({ sid: ok?.sid ?? '' })).toMatchObject({ res: true, ack: 0 })
      expect(second.isPaused).toBe(false)
      second.send(m(1, 1, 1), m(2, 2, 1))
      await expect.poll(() => handled).toEqual([1, 2])
    },
  )

  it('are not handled if a handler closes the connection, and the running one is handled once', async () => {
    let release = (): void => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    const { socket, handled } = recorder(async (peer) => {
      await settle()
      peer.close()
      await gate
    })
    const { sdk } = createTestHub(socket)
    const first = sdk()
    const { sid } = await first.hello()
    first.send(m(1), m(2))
    await expect.poll(() => first.closed).toHaveLength(1)
    void first.connection.onClose()
    const second = sdk()
    await second.hello({ sid })
    second.send(m(1, 1, 1))
    release()
    await settle()
    await settle()
    expect(handled).toEqual([1])
  })
})
