import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createRouter, serve, type App, type Log, type ServeOptions } from '../index.ts'
import { attach } from '../node.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const timeouts = { answer: 500 }
const toBytes = (path: string, times: number): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times)

interface Opened {
  readonly http: HttpServer
  close(): Promise<void>
}

function byServe(app: App): Promise<Opened> {
  return serve(app, { port: 0, signals: false, timeouts })
}

async function byAttach(app: App): Promise<Opened> {
  const http = createServer((_incoming, response) => void response.end('theirs'))
  const attached = await attach(app, http, { timeouts })
  await once(http.listen(0, '127.0.0.1'), 'listening')
  return { http, close: () => (http.close(), attached.close()) }
}

describe.each([
  ['serve', byServe],
  ['attach', byAttach],
])('a client of %s', (_name, open) => {
  const left: string[] = []
  let release = (): void => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const router = createRouter()
    .on('GET /api/endless', async function* (ctx) {
      try {
        for (;;) yield 'x'.repeat(10_000)
      } finally {
        left.push(ctx.query['who'] ?? '')
      }
    })
    .on('GET /api/large', () => 'x'.repeat(20_000_000))
    .on('GET /api/held', async () => {
      await held
      return 'ok'
    })
  let server: Opened
  beforeAll(async () => {
    server = await open(createApp({ log: silent, router }))
  })
  afterAll(() => server.close())

  function send(path: string, times = 1): Socket {
    const { port } = server.http.address() as AddressInfo
    const socket = connect(port, '127.0.0.1', () => socket.write(toBytes(path, times)))
    return socket.on('error', () => {})
  }

  const count = (): Promise<number> => new Promise((resolve) => server.http.getConnections((_, n) => resolve(n)))

  it('is disconnected, and its handler ends, if it does not read the response', async () => {
    const reader = send('/api/endless?who=reader').resume()
    send('/api/endless?who=sleeper').pause()
    send('/api/large').pause()
    await expect.poll(count).toBe(3)
    await expect.poll(count, { timeout: 20_000 }).toBe(1)
    await expect.poll(() => left).toEqual(['sleeper'])
    reader.destroy()
    await expect.poll(() => left).toEqual(['sleeper', 'reader'])
  })

  it('can pipeline 101 requests, and is disconnected if it sends more', async () => {
    const [some, many] = [send('/api/held', 101), send('/api/held', 102)]
    let text = ''
    some.on('data', (data) => (text += data.toString()))
    await once(many.resume(), 'close')
    release()
    const responses = (): number => text.split('HTTP/1.1 200 OK').length - 1
    await expect.poll(responses).toBe(101)
    // The limit applies to pending requests, not to their total.
    some.write(toBytes('/api/held', 101))
    await expect.poll(responses).toBe(202)
    some.destroy()
  })

  it('does not delay close after it disconnects with pipelined requests', async () => {
    const other = await open(createApp({ log: silent, router: createRouter().on('GET /api/held', never) }))
    const { port } = other.http.address() as AddressInfo
    const socket = connect(port, '127.0.0.1', () => socket.write(toBytes('/api/held', 3)))
    await expect.poll(() => heldCalls).toBe(3)
    socket.destroy()
    heldCalls = 0
    await other.close()
  })
})

let heldCalls = 0
function never(): Promise<never> {
  heldCalls += 1
  return new Promise(() => {})
}

describe('a client', () => {
  it('closes its pipelined responses of the fallback when it disconnects', async () => {
    const requested: (string | undefined)[] = []
    const closed: (string | undefined)[] = []
    const fallback: ServeOptions['fallback'] = ({ url }, response) => {
      requested.push(url)
      response.once('close', () => closed.push(url))
    }
    const files = await serve(createApp({ log: silent }), { port: 0, signals: false, fallback })
    const socket = connect(files.port, '127.0.0.1', () => socket.write(toBytes('/one', 1) + toBytes('/two', 1)))
    await expect.poll(() => requested).toEqual(['/one', '/two'])
    socket.destroy()
    await expect.poll(() => new Set(closed)).toEqual(new Set(['/one', '/two']))
    await files.close()
  })
})
