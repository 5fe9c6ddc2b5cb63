import { join } from 'node:path'
import { type Channel, createChannel } from '@sdk/frontend'
import { SUBPROTOCOL } from '@sdk/protocol'
import { type NodeProcess, spawnNode } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Deed, Stray } from './hostile-server.ts'

const DEEDS: Record<Deed, true> = {
  throws: true,
  'throws-null': true,
  'throws-undefined': true,
  'throws-hostile-proxy': true,
  rejects: true,
  'rejects-later': true,
  'has-hostile-then': true,
  'sends-circular': true,
  'sends-bigint': true,
  'sends-nothing': true,
  'publishes-circular': true,
}
const STRAY: Record<Stray, true> = { 'floats-a-rejection': true, 'throws-from-a-timer': true }
const deeds = Object.keys(DEEDS)
const stray = Object.keys(STRAY)
const SECRET = 'swordfish'

let server: NodeProcess
/** Another client, which must be served on one connection throughout. */
let other: Channel
const replies: unknown[] = []
const statuses: string[] = []
let sent = 0

beforeAll(async () => {
  server = await spawnNode({ file: join(import.meta.dirname, 'hostile-server.ts'), env: { NODE_ENV: 'production' } })
  other = createChannel({ url: urlOf('echo'), WebSocket })
  other.onMessage((reply) => replies.push(reply))
  other.state.subscribe(() => statuses.push(other.state.get().status))
})
afterAll(async () => {
  other?.close()
  await server?.kill()
})

afterEach(async () => {
  expect(server.hasEnded(), server.output().slice(-2_000)).toBe(false)
  other.send({ n: ++sent })
  await expect.poll(() => replies.at(-1)).toEqual({ n: sent })
  expect(statuses).not.toContain('reconnecting')
})

interface Raw {
  readonly socket: WebSocket
  readonly received: string[]
  readonly closed: Promise<number>
}

const urlOf = (name: string): string => `${server.url.replace('http', 'ws')}/ws/${name}`

async function open(name: string, protocols: string[] = []): Promise<Raw> {
  const socket = new WebSocket(urlOf(name), protocols)
  const received: string[] = []
  socket.on('message', (data: Buffer) => received.push(data.toString()))
  const closed = new Promise<number>((resolve) => socket.once('close', resolve))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  return { socket, received, closed }
}

async function expectLogged(count: number): Promise<void> {
  await expect.poll(() => server.output().split('"level":"error"').length).toBeGreaterThan(count)
}

const logged = (): number => server.output().split('"level":"error"').length

describe('an open handler', () => {
  it.each(deeds)('that %s closes its connection with 4500, raw or not', async (deed) => {
    const raw = await open(`open-${deed}`)
    expect(await raw.closed).toBe(4500)
    const sdk = await open(`open-${deed}`, [SUBPROTOCOL])
    sdk.socket.send('{"o":"hi","v":1,"sid":null,"rx":0,"pos":{}}')
    expect(await sdk.closed).toBe(4500)
    expect([...raw.received, ...sdk.received].join('')).not.toContain(SECRET)
  })

  it.each(stray)('that %s does not crash the server', async (deed) => {
    const { socket, received } = await open(`open-${deed}`)
    socket.send('1')
    await expect.poll(() => received).toEqual(['1'])
    socket.close()
  })
})

describe('a message handler', () => {
  it.each(deeds)('that %s causes an error reply, and the connection stays open', async (deed) => {
    const { socket, received } = await open(`message-${deed}`)
    socket.send('1')
    socket.send('2')
    await expect.poll(() => received.length).toBe(2)
    for (const text of received)
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'INTERNAL_SERVER_ERROR', message: expect.any(String) } })
    expect(received.join('')).not.toContain(SECRET)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.close()
  })

  it.each(stray)('that %s does not crash the server', async (deed) => {
    const before = logged()
    const { socket } = await open(`message-${deed}`)
    socket.send('1')
    await expectLogged(before)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    socket.close()
  })

  it('that never ends does not block other clients', async () => {
    const { socket } = await open('hangs')
    for (let n = 0; n < 1_000; n++) socket.send(String(n))
    await expect.poll(() => socket.bufferedAmount).toBe(0)
    socket.terminate()
  })
})

describe('a close handler', () => {
  it.each([...deeds, ...stray])('that %s does not crash the server', async (deed) => {
    const { socket, closed } = await open(`close-${deed}`)
    socket.close()
    expect(await closed).toBe(1005)
    ;(await open(`close-${deed}`)).socket.terminate()
  })
})
