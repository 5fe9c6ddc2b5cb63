import { get, type IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { startWorkerd, type Workerd } from './start-workerd.ts'

const fileIn = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

describe('a Worker whose requests choose a Durable Object', () => {
  let workerd: Workerd
  beforeAll(async () => void (workerd = await startWorkerd(fileIn('worker.ts'))))
  afterAll(() => workerd.stop())

  const read = async (path: string, init?: RequestInit): Promise<unknown> =>
    (await fetch(workerd.url + path, init)).json()
  const events = (): Promise<unknown> => read('/api/events')

  it('contains no module of Node', () => {
    expect(workerd.imports).toEqual([])
  })

  it('runs onStart in each object, not in the Worker', async () => {
    expect(await events()).toEqual([])
    expect(await read('/api/events?object=first')).toEqual(['start'])
    expect(await read('/api/events?object=second')).toEqual(['start', 'start'])
  })

  it('logs each request before it ends, in one line', async () => {
    await read('/api/address')
    await expect.poll(workerd.output).toMatch(/^\{.*"message":"GET \/api\/address 200".*\}$/m)
  })

  it('uses the address that Cloudflare provides', async () => {
    expect(await read('/api/address', { headers: { 'cf-connecting-ip': '192.0.2.7' } })).toBe('192.0.2.7')
  })

  it('waits for the promises of waitUntil', async () => {
    expect(await read('/api/later')).toBe('now')
    await expect.poll(events).toContain('later')
  })

  it('aborts ctx.signal when the client disconnects, and finishes the handler', async () => {
    const request = get(`${workerd.url}/api/slow`).on('error', () => {})
    await expect.poll(events).toContain('slow')
    request.socket?.resetAndDestroy()
    await expect.poll(events).toContain('finally')
    expect(await events()).toContain('abort')
  })

  it('ends a stream when the client disconnects, without an error', async () => {
    const request = get(`${workerd.url}/api/count`).on('error', () => {})
    const [response] = await new Promise<[IncomingMessage]>((resolve) =>
      request.on('response', (...args) => resolve(args)),
    )
    response.on('error', () => {})
    await new Promise((resolve) => response.once('data', resolve))
    response.destroy()
    await expect.poll(events).toContain('end true')
    expect(workerd.output()).not.toContain('"level":"error"')
  })

  it('connects the clients and requests of one object, and separates those of others', async () => {
    const [one, other, apart] = await Promise.all(['a', 'a', 'b'].map(open))
    one?.socket.send('"hello"')
    await expect.poll(() => other?.received).toEqual(['"open"', '"hello"'])
    expect(await read('/api/say?object=a', { method: 'POST' })).toBe(2)
    await expect.poll(() => other?.received).toEqual(['"open"', '"hello"', '"from HTTP"'])
    expect(await read('/api/say', { method: 'POST' })).toBe(0)
    expect(await read('/api/say?object=b', { method: 'POST' })).toBe(1)
    await expect.poll(() => apart?.received).toEqual(['"open"', '"from HTTP"'])
    for (const { socket } of [one, other, apart].filter((client) => client !== undefined)) socket.close()
  })

  it('closes a client whose message is too large or binary', async () => {
    const [large, binary] = await Promise.all(['a', 'a'].map(open))
    large?.socket.send('x'.repeat(1_048_577))
    binary?.socket.send(Buffer.from('x'))
    await expect.poll(() => large?.received.at(-1)).toEqual([1009, ''])
    await expect.poll(() => binary?.received.at(-1)).toEqual([4400, 'INVALID_REQUEST: messages must be text'])
    await expect.poll(() => read('/api/say?object=a', { method: 'POST' })).toBe(0)
  })

  async function open(object: string): Promise<{ socket: WebSocket; received: unknown[] }> {
    const socket = new WebSocket(`${workerd.url.replace('http', 'ws')}/ws/room?object=${object}`)
    const received: unknown[] = []
    socket.on('message', (data: Buffer) => received.push(data.toString()))
    socket.on('close', (code, reason) => received.push([code, reason.toString()]))
    await expect.poll(() => received[0]).toBe('"open"')
    return { socket, received }
  }
})

describe.each([
  { name: 'without flags', flags: [] },
  { name: 'with nodejs_compat', flags: ['nodejs_compat'] },
])('a Worker with the default options, $name', ({ flags }) => {
  let workerd: Workerd
  beforeAll(async () => void (workerd = await startWorkerd(fileIn('plain-worker.ts'), { flags })))
  afterAll(() => workerd.stop())

  it('passes WebSockets to an object', async () => {
    const socket = new WebSocket(`${workerd.url.replace('http', 'ws')}/ws/echo`)
    const received = new Promise((resolve) => socket.on('message', (data: Buffer) => resolve(data.toString())))
    socket.on('open', () => socket.send('{"n":1}'))
    expect(await received).toBe('{"n":1}')
    socket.close()
  })

  it('rejects serve() and durable agents with the reason', async () => {
    expect(await (await fetch(`${workerd.url}/api/serve`)).text()).toContain('use createWorker')
    expect(await (await fetch(`${workerd.url}/api/durable`)).text()).toContain(
      'durable agents are not available on Cloudflare Workers',
    )
  })
})

describe('a Worker without the binding', () => {
  it('answers WebSockets with 501 and logs what is missing', async () => {
    const workerd = await startWorkerd(fileIn('plain-worker.ts'), { bindings: [] })
    const socket = new WebSocket(`${workerd.url.replace('http', 'ws')}/ws/echo`).on('error', () => {})
    const status = await new Promise((resolve) =>
      socket.on('unexpected-response', (_, { statusCode }) => resolve(statusCode)),
    )
    expect(status).toBe(501)
    await expect.poll(workerd.output).toContain('the binding SOCKETS is missing')
    socket.terminate()
    await workerd.stop()
  })
})
