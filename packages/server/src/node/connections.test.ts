import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp, createRouter, serve, type Log, type ServeOptions, type Server } from '../index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
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
let server: Server
beforeAll(async () => {
  server = await serve(createApp({ log: silent, router }), { port: 0, signals: false, timeouts: { answer: 500 } })
})
afterAll(() => server.close())

const toBytes = (path: string, times: number): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(times)

function ask(path: string, times = 1): Socket {
  const socket = connect(server.port, '127.0.0.1', () => socket.write(toBytes(path, times)))
  return socket.on('error', () => {})
}

const count = (): Promise<number> => new Promise((resolve) => server.http.getConnections((_, open) => resolve(open)))

describe('a caller', () => {
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
    await new Promise((resolve) => many.resume().once('close', resolve))
    release()
    const answers = (): number => text.split('HTTP/1.1 200 OK').length - 1
    await expect.poll(answers).toBe(101)
    // They do not add up: each has had its turn.
    some.write(toBytes('/api/held', 101))
    await expect.poll(answers).toBe(202)
    some.destroy()
  })
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
