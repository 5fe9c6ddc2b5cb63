import { createServer, request, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLog } from '@sdk/server'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createEventHub, teeLog, type EventHub } from './event-hub.ts'

interface ReceivedEvent {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: unknown
}

let server: Server | undefined
let events: EventHub | undefined

afterEach(() => {
  events?.close()
  server?.closeAllConnections()
  server?.close()
  vi.useRealTimers()
})

async function listen(hub: EventHub): Promise<Server> {
  events = hub
  const http = createServer((incoming, response) => hub.stream(incoming, response))
  server = http
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return http
}

function open(http: Server, headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { port } = http.address() as AddressInfo
    request({ port, headers }, resolve).on('error', reject).end()
  })
}

/** Reads this many events, then disconnects. */
async function read(response: IncomingMessage, count: number): Promise<ReceivedEvent[]> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    const received = toReceived(text)
    if (received.length >= count) return received
  }
  throw new Error(`the stream ended after ${text}`)
}

function toReceived(text: string): ReceivedEvent[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map(
      (block) => new Map(block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)])),
    )
    .filter((fields) => fields.has('data'))
    .map((fields) => ({
      id: fields.get('id'),
      event: fields.get('event'),
      data: JSON.parse(fields.get('data') ?? ''),
    }))
}

describe('createEventHub', () => {
  it('sends events with increasing ids to a connected page', async () => {
    const hub = createEventHub()
    const response = await open(await listen(hub))
    expect(response.headers['content-type']).toBe('text/event-stream')
    hub.emit('manifest', { revision: 2 })
    hub.emit('cleared', {})
    const [first, second] = await read(response, 2)
    expect(first).toMatchObject({ event: 'manifest', data: { revision: 2 } })
    expect(second).toMatchObject({ event: 'cleared', data: {} })
    expect(Number(second?.id)).toBe(Number(first?.id) + 1)
  })

  it('sends exactly the missed events to a page that reconnects', async () => {
    const hub = createEventHub()
    const http = await listen(hub)
    const response = await open(http)
    hub.emit('manifest', { revision: 1 })
    const [seen] = await read(response, 1)
    for (const revision of [2, 3]) hub.emit('manifest', { revision })
    const again = await open(http, { 'last-event-id': seen?.id ?? '' })
    hub.emit('manifest', { revision: 4 })
    expect((await read(again, 3)).map(({ data }) => data)).toEqual([{ revision: 2 }, { revision: 3 }, { revision: 4 }])
  })

  it.each([
    ['was disconnected for too long', (first: number) => first],
    ['has an id of an earlier server start', () => 12],
    ['sends an invalid id', () => Number.NaN],
  ])('sends "cleared" to a page that %s', async (_, idOf) => {
    const hub = createEventHub()
    const http = await listen(hub)
    const response = await open(http)
    hub.emit('manifest', { revision: 1 })
    const [first] = await read(response, 1)
    for (let count = 0; count < 600; count++) hub.emit('manifest', { revision: count })
    const again = await open(http, { 'last-event-id': String(idOf(Number(first?.id))) })
    const [hint, cleared] = await read(again, 2)
    expect([hint?.event, cleared?.event]).toEqual(['manifest', 'cleared'])
    expect(Number(hint?.id)).toBe(Number(first?.id) + 600)
  })

  it('ignores events after it is closed while a page is still connected', async () => {
    const hub = createEventHub()
    const http = await listen(hub)
    const written = new Promise<unknown>((resolve) => {
      http.on('request', (_, response) => response.on('error', resolve).on('close', () => resolve('gone')))
    })
    const response = await open(http)
    hub.close()
    hub.emit('cleared', {})
    response.resume()
    expect(await written).toBe('gone')
  })

  it('sends the last log lines to a new page and redacts them', async () => {
    const hub = createEventHub()
    const written: string[] = []
    const log = teeLog(createLog({ write: (line) => void written.push(line) }), hub)
    for (let line = 0; line < 250; line++) log.info(`line ${line}`)
    log.warn('signed in', { requestId: 'r1', password: 'hunter2', user: 'ada' })
    const received = await read(await open(await listen(hub)), 200)
    expect(received[0]).toMatchObject({ event: 'log', data: { message: 'line 51', level: 'info', fields: null } })
    expect(received.at(-1)?.data).toMatchObject({ message: 'signed in', level: 'warn', requestId: 'r1' })
    expect(JSON.stringify(received.at(-1))).toContain('ada')
    expect(JSON.stringify(received.at(-1))).not.toContain('hunter2')
    expect(written).toHaveLength(251)
  })

  it('connects a page after many long log lines, and one that has missed them', async () => {
    const hub = createEventHub()
    const http = await listen(hub)
    hub.emit('manifest', { revision: 1 })
    const [seen] = await read(await open(http, { 'last-event-id': '1' }), 2)
    const line = { time: 0, level: 'info', fields: null, requestId: null } as const
    for (let count = 0; count < 200; count++) hub.emit('log', { ...line, message: `${count} ${'x'.repeat(8_000)}` })
    const newest = await read(await open(http), 36)
    expect(newest.at(-1)?.data).toMatchObject({ message: expect.stringMatching(/^199 x/) })
    const missed = await read(await open(http, { 'last-event-id': seen?.id ?? '' }), 38)
    expect(missed.slice(-2).map(({ event }) => event)).toEqual(['manifest', 'cleared'])
  })

  it('redacts values that look like secrets, but not in the terminal', async () => {
    const hub = createEventHub()
    const written: string[] = []
    const log = teeLog(createLog({ write: (line) => void written.push(line) }), hub)
    const key = `sk-proj-${'a1B2c3D4'.repeat(5)}`
    log.info(`calling with ${key}`)
    log.error('no database', { url: 'postgres://ada:hunter2@db/app', tried: [`Bearer ${key}`] })
    log.info(`${'x '.repeat(4090)}${key}`)
    const received = JSON.stringify(await read(await open(await listen(hub)), 3))
    expect(received).toContain('calling with ')
    expect(received).toContain('postgres://ada:')
    expect(received).not.toContain('hunter2')
    expect(received).not.toContain('sk-proj-')
    expect(written[0]).toContain(key)
  })

  it('accepts any logged value', async () => {
    const hub = createEventHub()
    const log = teeLog(createLog({ write: () => {} }), hub)
    const ring: Record<string, unknown> = {}
    ring['ring'] = ring
    log.info('x'.repeat(20_000), { ...ring, long: ['y'.repeat(8_000), 'z'.repeat(8_000)] })
    log.error(7n as unknown as string, {
      get bad() {
        throw new Error('hostile')
      },
    })
    const [long, odd] = await read(await open(await listen(hub)), 2)
    expect(long?.data).toMatchObject({ message: 'x'.repeat(8192), fields: expect.stringContaining('circular') })
    expect(long?.data).toMatchObject({ fields: expect.stringMatching(/^.{8192}$/) })
    expect(odd?.data).toMatchObject({ message: '"7"', level: 'error', fields: expect.stringContaining('unreadable') })
  })

  it('keeps an idle connection alive', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const response = await open(await listen(createEventHub()))
    const heartbeat = new Promise<string>((resolve) => {
      response.setEncoding('utf8').on('data', (text: string) => /^:$/m.test(text) && resolve(text))
    })
    vi.advanceTimersByTime(15_000)
    expect(await heartbeat).toContain(':\n\n')
  })

  it('disconnects a client that does not read', async () => {
    const hub = createEventHub()
    const response = await open(await listen(hub))
    const cut = new Promise((resolve) => response.on('error', resolve))
    const line = { time: 0, level: 'info', message: 'x'.repeat(100_000), fields: null, requestId: null } as const
    // More than the socket buffers can hold.
    for (let count = 0; count < 200; count++) hub.emit('log', line)
    response.resume()
    expect(await cut).toMatchObject({ code: 'ECONNRESET' })
  })
})
