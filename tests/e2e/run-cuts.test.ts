import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server as TcpServer } from 'node:net'
import { createHttpClient } from '@sdk/frontend'
import { createAgent, createApp, createLog, memoryRuns, serve, type Server } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { choose } from '../chaos/mode.ts'

const CHUNKS = ['ä', 12, { text: 'two\nlines' }, { error: 'no' }]

/** The number of bytes in the headers of a response, or a few more. */
const HEAD_BYTES = 600

/**
 * A proxy that cuts its first connection after this number of bytes of the first response's body, or, if the number is
 * negative, this number of bytes before the end of its headers.
 */
async function startProxy(port: number, bytes: number): Promise<{ server: TcpServer; url: string }> {
  let left = bytes
  let hasHead = false
  const server = createServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    const end = (): void => void (socket.destroy(), upstream.destroy())
    for (const each of [socket, upstream]) each.on('error', end).on('close', end)
    socket.pipe(upstream)
    upstream.on('data', (data) => {
      if (!hasHead) left += data.indexOf('\r\n\r\n') + 4
      hasHead = true
      const part = data.subarray(0, Math.max(0, left))
      left -= part.length
      if (left > 0) {
        socket.write(part)
        return
      }
      left = Number.POSITIVE_INFINITY
      socket.end(part, end)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('a reader of a run behind a proxy that cuts the connection', () => {
  let now = Date.now()
  const runs = memoryRuns({ now: () => now })
  let server: Server
  let path = ''

  beforeAll(async () => {
    const agent = createAgent('short', {
      durable: { keepFor: '1h' },
      async *handler() {
        yield* CHUNKS
      },
    })
    const log = createLog({ write: () => {} })
    server = await serve(createApp({ agents: [agent], runs, log, rateLimit: false }), { port: 0, signals: false })
    const response = await fetch(`${server.url}/agent/short`, { method: 'POST' })
    path = `/agent/short/runs/${response.headers.get('run-id')}`
    await response.text()
  })
  afterAll(() => server.close({ grace: 0 }))

  let readers = 0

  /** Reads a stream once for each byte at which it can be cut, several at a time. */
  async function cutEverywhere(accept: string, read: (url: string) => Promise<unknown>): Promise<void> {
    const response = await fetch(`${server.url}${path}/chunks`, { headers: { accept } })
    // The chunked encoding adds bytes. A number beyond the end cuts nothing.
    const length = (await response.arrayBuffer()).byteLength + 64
    const inHead = Array.from({ length: choose(HEAD_BYTES, 8) }, (_, index) => -1 - index * choose(1, HEAD_BYTES / 8))
    // In a short run, the readers share the bytes of the body.
    const reader = readers++
    const inBody = Array.from({ length }, (_, index) => index).filter(
      (index) => index % choose(1, 4) === reader % choose(1, 4),
    )
    const cuts = [...inHead, ...inBody]
    const readAll = async (): Promise<void> => {
      for (let bytes = cuts.pop(); bytes !== undefined; bytes = cuts.pop()) {
        const proxy = await startProxy(Number(new URL(server.url).port), bytes)
        expect(await read(proxy.url), `cut after ${bytes} bytes`).toEqual(CHUNKS)
        proxy.server.close()
      }
    }
    await Promise.all(Array.from({ length: 16 }, readAll))
  }

  /** Reads lines with `fetch`, and continues from the last position until the last line is the mark of the end. */
  async function readWithFetch(url: string): Promise<unknown[]> {
    let text = ''
    for (let isEnded = false; !isEnded;) {
      const chunks = text.split('\n').slice(0, -1)
      text = chunks.map((line) => `${line}\n`).join('')
      try {
        const response = await fetch(`${url}${path}/chunks?at=1.${chunks.length}`)
        const decoder = new TextDecoder()
        for await (const bytes of response.body ?? []) text += decoder.decode(bytes, { stream: true })
        isEnded = text.endsWith('\n \n')
      } catch {
        // The connection was cut.
        text = text.replace(/ \n?$/, '')
      }
    }
    return text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => JSON.parse(line) as unknown)
  }

  /** Delays as short as possible. */
  const clock = { now: Date.now, after: (ms: number, run: () => void) => stopOf(setTimeout(run, ms < 20_000 ? 1 : ms)) }
  const stopOf = (timer: NodeJS.Timeout) => (): void => clearTimeout(timer)

  describe.each(['application/x-ndjson', 'text/event-stream'])('as %s', (accept) => {
    const headers = { accept }
    it('receives each chunk once with client.call', async () => {
      await cutEverywhere(accept, (baseUrl) =>
        createHttpClient({ baseUrl, clock }).call(`GET ${path}/chunks`, { headers }),
      )
    })

    it('receives each chunk once with client.stream of a new run', async () => {
      await cutEverywhere(accept, async (baseUrl) => {
        const seen: unknown[] = []
        const key = { ...headers, 'idempotency-key': crypto.randomUUID() }
        const stream = createHttpClient({ baseUrl, clock }).stream('POST /agent/short', undefined, { headers: key })
        for await (const chunk of stream) seen.push(chunk)
        return seen
      })
    })
  })

  it('receives each chunk once with fetch', async () => {
    await cutEverywhere('application/x-ndjson', readWithFetch)
  })

  it('gets 400 beyond the end, 404 for a foreign run, and 410 after the retention', async () => {
    const statusOf = async (at: string): Promise<number> => (await fetch(`${server.url}${at}`)).status
    expect(await statusOf(`${path}/chunks?at=1.4`)).toBe(200)
    for (const at of ['1.5', '2.0', '0.0', '1.x']) expect(await statusOf(`${path}/chunks?at=${at}`)).toBe(400)
    expect(await statusOf(`/agent/short/runs/${'0'.repeat(32)}/chunks?at=1.1`)).toBe(404)
    now += 3_601_000
    await runs.sweep([])
    expect(await statusOf(`${path}/chunks?at=1.1`)).toBe(410)
    const client = createHttpClient({ baseUrl: server.url, clock })
    await expect(client.call(`GET ${path}/chunks`, { query: { at: '1.1' } })).rejects.toMatchObject({
      code: 'RUN_GONE',
    })
  })
})
