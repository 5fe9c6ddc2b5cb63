import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createApp, createRouter, serve, type Log } from '../index.ts'
import { internals, probeInternals } from './node-internals.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

/** In the vitest project `fallback`, the members exist but do not work. */
const works = process.env['SDK_TEST_FALLBACK'] === undefined

describe('probeInternals', () => {
  it('detects on a connection whether the internals of Node work', async () => {
    await probeInternals()
    expect(internals).toEqual({ setsHead: works, countsBytes: works })
  })

  it.each([
    ['value', 'content-length: 5\r\n', '"one"'],
    ['stream', 'transfer-encoding: chunked\r\n', '6\r\n"one"\n\r\n6\r\n"two"\n\r\n0\r\n\r\n'],
  ])('sends a complete head for a %s, with or without the internals', async (path, length, body) => {
    await probeInternals()
    const router = createRouter()
      .on('GET /api/value', () => 'one')
      .on('GET /api/stream', async function* () {
        yield 'one'
        await new Promise((resolve) => setTimeout(resolve, 20))
        yield 'two'
      })
    const server = await serve(createApp({ log: silent, router }), { port: 0, signals: false })
    const [head = '', ...rest] = (await get(server.port, `/api/${path}`, body)).split('\r\n\r\n')
    expect(rest.join('\r\n\r\n')).toBe(body)
    const lines = `${head}\r\n`
    expect(lines).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    for (const line of ['x-content-type-options: nosniff\r\n', length, 'connection: keep-alive\r\n'])
      expect(lines.toLowerCase()).toContain(line)
    // Node capitalizes the names of its own headers.
    expect(/\r\n(date): /i.exec(lines)?.[1]).toBe(works ? 'date' : 'Date')
    await server.close()
  })
})

/** Returns what a server sends, up to the end of a body. */
function get(port: number, path: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`))
    socket
      .setTimeout(10_000, () => socket.destroy())
      .on('error', reject)
      .on('close', () => resolve(text))
    socket.on('data', (data) => {
      text += data.toString()
      if (text.endsWith(body)) socket.destroy()
    })
  })
}
