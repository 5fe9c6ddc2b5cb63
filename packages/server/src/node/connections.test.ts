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
])('a caller of %s', (_name, open) => {
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

  function ask(path: string, times = 1): Socket {
    const { port } = server.http.address() as AddressInfo
    const socket = connect(port, '127.0.0.1', () => socket.write(toBytes(path, times)))
    return socket.on('error', () => {})
  }

  const count = (): Promise<number> => new Promise((resolve) => server.http.getConnections((_, n) => resolve(n)))

  it('who reads nothing of its answer holds neither the handler nor the connection for ever', async () => {
    const reader = ask('/api/endless?who=reader').resume()
    ask('/api/endless?who=sleeper').pause()
    ask('/api/large').pause()
    await expect.poll(count).toBe(3)
    await expect.poll(count, { timeout: 20_000 }).toBe(1)
    await expect.poll(() => left).toEqual(['sleeper'])
    reader.destroy()
    await expect.poll(() => left).toEqual(['sleeper', 'reader'])
  })

  it('may send a hundred requests before the first is answered, and not thousands', async () => {
    const [some, many] = [ask('/api/held', 101), ask('/api/held', 102)]
    let text = ''
    some.on('data', (data) => (text += data.toString()))
    await once(many.resume(), 'close')
    release()
    const answers = (): number => text.split('HTTP/1.1 200 OK').length - 1
    await expect.poll(answers).toBe(101)
    // They do not add up: each has had its turn.
    some.write(toBytes('/api/held', 101))
    await expect.poll(answers).toBe(202)
    some.destroy()
  })

  it('who left is waited for by nobody, also with answers whose turn had not come', async () => {
    const other = await open(createApp({ log: silent, router: createRouter().on('GET /api/held', never) }))
    const { port } = other.http.address() as AddressInfo
    const socket = connect(port, '127.0.0.1', () => socket.write(toBytes('/api/held', 3)))
    await expect.poll(() => heldCalls).toBe(3)
    socket.destroy()
    heldCalls = 0
    await other.close()
  }, 10_000)
})

let heldCalls = 0
function never(): Promise<never> {
  heldCalls += 1
  return new Promise(() => {})
}

describe('a caller', () => {
  it('who leaves is gone for the answers too that wait for their turn, whoever makes them', async () => {
    const asked: (string | undefined)[] = []
    const gone: (string | undefined)[] = []
    const fallback: ServeOptions['fallback'] = ({ url }, response) => {
      asked.push(url)
      response.once('close', () => gone.push(url))
    }
    const files = await serve(createApp({ log: silent }), { port: 0, signals: false, fallback })
    const socket = connect(files.port, '127.0.0.1', () => socket.write(toBytes('/one', 1) + toBytes('/two', 1)))
    await expect.poll(() => asked).toEqual(['/one', '/two'])
    socket.destroy()
    await expect.poll(() => new Set(gone)).toEqual(new Set(['/one', '/two']))
    await files.close()
  })
})
