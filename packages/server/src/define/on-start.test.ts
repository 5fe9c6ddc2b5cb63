import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket } from 'ws'
import { memoryEngine } from '../engine/memory-engine.ts'
import { createApp, createRouter, createSocket, serve, type Log, type Peer, type Router, type Start } from '../index.ts'
import { attach } from '../node.ts'
import { testApp } from '../testing.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const lobby = createSocket({ open: (peer) => peer.join('lobby') })
const sockets = (): Router => createRouter().socket('/ws/lobby', lobby)

describe('app.publish', () => {
  it('publishes to a room across processes, outside of handlers', async () => {
    const engine = memoryEngine({ log: silent })
    const [here, worker] = [
      createApp({ router: sockets(), engine, log: silent }),
      createApp({ engine, log: silent }), // has no sockets
    ]
    const client = await (await testApp(here)).socket('/ws/lobby')
    await here.publish('lobby', { from: 'here' })
    await worker.publish('lobby', { from: 'elsewhere' })
    expect([await client.next(), await client.next()]).toEqual([{ from: 'here' }, { from: 'elsewhere' }])
    expect(await worker.presence('lobby')).toEqual([{ id: expect.any(String), data: null }])
    await worker.disconnect('lobby', 'closing time')
    await expect(client.next()).rejects.toMatchObject({ code: 'FORBIDDEN', message: 'closing time' })
  })

  it('can be called in a route of the server that the app is attached to', async () => {
    const open = async (peer: Peer): Promise<void> => {
      await peer.join('lobby')
      peer.send('you are in')
    }
    const app = createApp({ router: createRouter().socket('/ws/lobby', createSocket({ open })), log: silent })
    const http = createServer(async (_incoming, response) => {
      await app.publish('lobby', 'from their route')
      response.end('done')
    })
    const attached = await attach(app, http)
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    const { port } = http.address() as AddressInfo
    const client = new WebSocket(`ws://127.0.0.1:${port}/ws/lobby`)
    await once(client, 'message')
    const received = once(client, 'message')
    expect(await (await fetch(`http://127.0.0.1:${port}/announce`)).text()).toBe('done')
    expect(String((await received)[0])).toBe('"from their route"')
    client.terminate()
    http.close()
    await attached.close()
  })

  it('rejects an empty room name, values that are not JSON, and calls after close', async () => {
    const app = createApp({ log: silent })
    await expect(app.publish('', 1)).rejects.toThrow(new TypeError('a room must have a name, got ""'))
    await expect(app.publish(undefined as never, 1)).rejects.toThrow('a room must have a name, got undefined')
    const notJson = new TypeError('a message must be serializable as JSON, got undefined')
    await expect(app.publish('lobby', undefined)).rejects.toThrow(notJson)
    await expect(app.publish('lobby', 1n)).rejects.toThrow(TypeError)
    await app.close()
    await expect(app.publish('lobby', 1)).rejects.toThrow('The engine is closed')
  })
})

describe('onStart', () => {
  it('runs before the first request in order, and its cleanup after the last one in reverse order', async () => {
    const seen: string[] = []
    const router = createRouter()
      .onStart(async () => {
        await Promise.resolve()
        seen.push('first begun')
        return () => seen.push('first ended')
      })
      .on('GET /api/slow', (ctx) => {
        seen.push('asked')
        ctx.waitUntil(Promise.resolve().then(() => seen.push('worked')))
        return 'ok'
      })
      .onStart(() => {
        seen.push('second begun')
        return async () => seen.push('second ended')
      })
      .onStart(() => void seen.push('third begun'))
    const server = await serve(createApp({ router, log: silent }), { port: 0, signals: false })
    await (await fetch(`${server.url}/api/slow`)).text()
    await server.close()
    const begun = ['first begun', 'second begun', 'third begun']
    expect(seen).toEqual([...begun, 'asked', 'worked', 'second ended', 'first ended'])
  })

  it('runs its cleanup after the work of waitUntil', async () => {
    const seen: string[] = []
    let finish = (): void => {}
    const work = new Promise<void>((resolve) => (finish = resolve))
    const router = createRouter()
      .on('GET /api/slow', (ctx) => ctx.waitUntil(work.then(() => seen.push('worked'))))
      .onStart(() => () => seen.push('ended'))
    const app = createApp({ router, log: silent })
    await app.ready()
    await app.fetch(new Request('http://localhost/api/slow'))
    const closed = app.close()
    await new Promise(setImmediate)
    finish()
    await closed
    expect(seen).toEqual(['worked', 'ended'])
  })

  it('can publish from a timer and during its cleanup', async () => {
    let tick = (): unknown => undefined
    const router = sockets().onStart((app) => {
      tick = () => app.publish('lobby', 'tick')
      return () => app.publish('lobby', 'the end')
    })
    const app = createApp({ router, log: silent })
    const client = await (await testApp(app)).socket('/ws/lobby')
    await tick()
    expect(await client.next()).toBe('tick')
    await app.close()
    expect(await client.next()).toBe('the end')
    await client.close()
  })

  it('runs once per app, also in a mounted router', async () => {
    const start = vi.fn<Start>()
    const app = createApp({ router: createRouter().mount('/api/inner', createRouter().onStart(start)), log: silent })
    await Promise.all([app.ready(), app.ready()])
    expect(start).toHaveBeenCalledTimes(1)
    expect(Object.keys(start.mock.calls[0]?.[0] ?? {})).toEqual([
      'log',
      'kv',
      'publish',
      'disconnect',
      'presence',
      'start',
      'touch',
    ])
    await app.close()
  })

  it('prevents the server from starting if it fails, and runs the cleanup of earlier hooks', async () => {
    const ended = vi.fn<() => void>()
    const router = createRouter()
      .onStart(() => ended)
      .onStart(() => Promise.reject(new Error('the queue is away')))
      .onStart(() => expect.unreachable())
    const app = createApp({ router, log: silent })
    await expect(serve(app, { port: 0, signals: false })).rejects.toThrow('the queue is away')
    expect(ended).toHaveBeenCalledTimes(1)
    await app.close()
    expect(ended).toHaveBeenCalledTimes(1)
  })

  it('logs a failed cleanup and runs the others', async () => {
    const ended = vi.fn<() => void>()
    const error = vi.fn<Log['error']>()
    const router = createRouter()
      .onStart(() => ended)
      .onStart(() => () => Promise.reject(new Error('it hangs')))
    const app = createApp({ router, log: { ...silent, error } })
    await app.ready()
    await app.close()
    expect(ended).toHaveBeenCalledTimes(1)
    expect(error).toHaveBeenCalledWith('onStart cleanup failed', expect.objectContaining({ error: 'it hangs' }))
  })

  it('does not run after the app is closed', async () => {
    const start = vi.fn<Start>()
    const app = createApp({ router: createRouter().onStart(start), log: silent })
    await app.close()
    await app.ready()
    expect(start).not.toHaveBeenCalled()
  })

  it('logs a warning if it does not finish within 5 seconds', async () => {
    vi.useFakeTimers()
    let goOn = (): void => {}
    const warn = vi.fn<Log['warn']>()
    const router = createRouter()
      .onStart(() => undefined)
      .onStart(() => new Promise<void>((resolve) => (goOn = resolve)))
    const app = createApp({ router, log: { ...silent, warn } })
    const ready = app.ready()
    await vi.advanceTimersByTimeAsync(5000)
    vi.useRealTimers()
    expect(warn.mock.calls).toEqual([
      [
        expect.stringMatching(/^onStart has not finished after 5 s \(defined at .*on-start\.test\.ts:\d+:8\): req/),
        { hint: 'start long-running work without await, and return a function that stops it' },
      ],
    ])
    goOn()
    await ready
    expect(app['~starts'].sourceLocation()).toMatch(/on-start\.test\.ts:\d+:8$/)
    await app.close()
  })

  it('throws if the argument is not a function', () => {
    expect(() => createRouter().onStart(7 as never)).toThrow('.onStart(…) needs a function, got number')
  })
})
