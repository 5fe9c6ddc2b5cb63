import { createClient } from '@sdk/frontend'
import type { NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createDemoProject } from './demo-project.ts'
import { startDev } from './mistakes/terminal.ts'
import { soon } from './soon.ts'

/** The number of saves of a file while sockets are open. */
const SAVES = 6

/** Echoes every message with its version, and sends ticks until the peer disconnects. */
const CHAT = `import { createSocket } from '@sdk/server'

const version = 0

export const chat = createSocket({
  open(peer) {
    let tick = 0
    const timer = setInterval(() => peer.send({ tick: ++tick }), 7)
    peer.data = { timer }
    return peer.join('lobby')
  },
  async message(peer, input) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    peer.send({ echo: input, version })
    await peer.publish('lobby', { published: input })
  },
  close: (peer) => clearInterval((peer.data as { timer: NodeJS.Timeout }).timer),
})
`

const API = `import { createResource, createRouter } from '@sdk/server'
import { table } from '@sdk/database'
import { z } from 'zod'
import { chat } from './chat.ts'

const notes = createResource('notes', { schema: z.object({ text: z.string() }), store: table('notes'), access: 'public' })

export default createRouter()
  .on('GET /api/status', () => 'ok')
  .on('POST /api/count', (ctx) => ctx.kv.increment('test', 'calls'))
  .on('GET /api/slow', async (ctx) => {
    await ctx.kv.set('test', 'slow', true)
    while ((await ctx.kv.get('test', 'slow')) === true) await new Promise((resolve) => setTimeout(resolve, 5))
    return 'old'
  })
  .on('GET /api/slow-began', (ctx) => ctx.kv.get('test', 'slow'))
  .on('POST /api/finish', async (ctx) => void (await ctx.kv.set('test', 'slow', false)))
  .resource('v1', notes)
  .socket('/ws/chat', chat)
`

describe('sdk dev', () => {
  const project = createDemoProject()
  let server: NodeProcess

  beforeAll(async () => {
    project.write('src/api/chat.ts', CHAT)
    project.write('src/api/index.ts', API)
    project.write('sdk.config.ts', 'export default { rateLimit: false }\n')
    server = await startDev(project, { DATABASE_URL: undefined })
  })
  afterAll(() => server.kill())

  it('keeps sockets open over many saves of their file without losing or repeating a message', async () => {
    const clients = [connectSdk(server.url), connectRaw(server.url)]
    await soon(() => expect(clients.map((client) => client.ticks().length > 0)).toEqual([true, true]))
    for (let version = 1; version <= SAVES; version++) {
      project.edit('src/api/chat.ts', `version = ${version - 1}`, `version = ${version}`)
      for (const client of clients) await client.sendUntil(version)
    }
    for (const client of clients) {
      await soon(() => expect(client.echoes()).toEqual(countTo(client.sent())))
      for (const { name, sent } of clients) await soon(() => expect(client.published(name)).toEqual(countTo(sent())))
      expect(client.ticks()).toEqual(countTo(client.ticks().length))
      expect(client.changes).toEqual([])
    }
    for (const client of clients) client.close()
  })

  it('keeps running the old code of sockets while their file is broken', async () => {
    const client = connectRaw(server.url)
    await client.sendUntil(SAVES)
    project.edit('src/api/chat.ts', 'async message(', 'async message((')
    await until('GET /api/status', 'chat.ts:12')
    client.sendNext()
    await soon(() => expect(client.echoes()).toEqual(countTo(client.sent())))
    project.edit('src/api/chat.ts', 'async message((', 'async message(')
    project.edit('src/api/chat.ts', `version = ${SAVES}`, `version = ${SAVES + 1}`)
    await client.sendUntil(SAVES + 1)
    expect(client.changes).toEqual([])
    client.close()
  })

  it('closes sockets whose path was removed with 4404', async () => {
    const client = connectRaw(server.url)
    const own = connectSdk(server.url)
    await Promise.all([client.sendUntil(SAVES + 1), own.sendUntil(SAVES + 1)])
    project.edit('src/api/index.ts', "'/ws/chat'", "'/ws/talk'")
    await soon(() => expect([client.changes, own.changes]).toEqual([[4404], ['failed']]))
    project.edit('src/api/index.ts', "'/ws/talk'", "'/ws/chat'")
  })

  it('completes requests that started before a save with the old code', async () => {
    const slow = call('GET /api/slow')
    await until('GET /api/slow-began', 'true')
    project.edit('src/api/index.ts', "return 'old'", "return 'new'")
    project.edit('src/api/index.ts', "() => 'ok'", "() => 'fine'")
    await until('GET /api/status', '"fine"')
    await call('POST /api/finish')
    expect(await slow).toEqual([200, '"old"'])
  })

  it('keeps the database and the key-value store over a save', async () => {
    expect(await call('POST /api/count')).toEqual([200, '1'])
    expect(await call('POST /api/v1/notes', { text: 'kept' })).toMatchObject([201, {}])
    // The database also opens again if no version uses it for a while, such as the one with the broken file above.
    const opened = (): number => server.output().split('opened the embedded database').length
    const before = opened()
    project.edit('src/api/index.ts', "() => 'fine'", "() => 'good'")
    await until('GET /api/status', '"good"')
    expect(await call('POST /api/count')).toEqual([200, '2'])
    expect(await call('GET /api/v1/notes')).toMatchObject([200, expect.stringContaining('kept')])
    expect(opened()).toBe(before)
  })

  it('updates the routes when an agent is renamed or the API is removed and restored', async () => {
    project.rename('src/agent/hello', 'src/agent/bye')
    await until('POST /agent/bye', 'the folder is named')
    project.edit('src/agent/bye/index.ts', `'hello'`, `'bye'`)
    await until('POST /agent/bye', '"zero"')
    expect(await call('POST /agent/hello')).toMatchObject([404, {}])

    project.rename('src/api/index.ts', 'src/api/later.ts')
    await until('GET /api/status', 'NOT_FOUND')
    project.rename('src/api/later.ts', 'src/api/index.ts')
    await until('GET /api/status', '"good"')
  })

  it('updates the page when the web app is removed and restored', async () => {
    const page = async (): Promise<string> => (await fetch(server.url, { headers: { accept: 'text/html' } })).text()
    project.rename('src/web', 'web')
    await soon(async () => expect(await page()).toContain('add src/web/index.tsx'))
    project.rename('web', 'src/web')
    await soon(async () => expect(await page()).toContain('<div id="root">'))
    await soon(async () => expect(await (await fetch(`${server.url}/App.tsx`)).text()).toContain('Hello from the page'))
  })

  async function call(route: string, input: unknown = {}): Promise<[number, string]> {
    const [method = 'GET', path = '/'] = route.split(' ')
    const body = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(input) }
    const response = await fetch(server.url + path, { method, ...(method === 'GET' ? {} : body) })
    return [response.status, await response.text()]
  }

  async function until(route: string, expected: string): Promise<void> {
    await soon(async () => expect((await call(route))[1]).toContain(expected))
  }

  it('loads a file again when its missing package is installed', async () => {
    const greet = async (): Promise<unknown> =>
      (await fetch(`${server.url}/agent/greet`, { method: 'POST' })).json().catch(() => null)
    project.write(
      'src/agent/greet/index.ts',
      `import { createAgent } from '@sdk/server'
import { word } from 'left-padding'

export default createAgent('greet', { handler: () => word })
`,
    )
    await soon(() => expect(server.output()).toContain('npm install left-padding'))
    const folder = 'src/node_modules/left-padding'
    project.write(`${folder}/package.json`, '{ "name": "left-padding", "version": "1.0.0", "main": "index.js" }')
    project.write(`${folder}/index.js`, `exports.word = 'installed'`)
    project.write('bun.lock', '') // stands for the record of any package manager
    await soon(async () => expect(await greet()).toBe('installed'))
  })
})

interface Numbered {
  readonly who: string
  readonly n: number
}

interface Received {
  readonly echo?: Numbered
  readonly version?: number
  readonly published?: Numbered
  readonly tick?: number
}

/** A client that sends consecutive numbers. */
interface Counter {
  readonly name: string
  /** The changes of its connection. */
  readonly changes: readonly unknown[]
  sendNext(): void
  /** Sends numbers until a version has responded. */
  sendUntil(version: number): Promise<void>
  sent(): number
  echoes(): number[]
  /** The numbers of this client that were published to the room. */
  published(name: string): number[]
  ticks(): number[]
  close(): void
}

interface Transport {
  readonly name: string
  readonly changes: unknown[]
  send(message: Numbered): void
  onMessage(listener: (message: Received) => void): void
  close(): void
}

function connectSdk(baseUrl: string): Counter {
  const channel = createClient({ baseUrl, WebSocket }).socket<string>('/ws/chat')
  const changes: unknown[] = []
  let status = ''
  channel.state.subscribe(() => {
    const { status: next } = channel.state.get()
    if (next !== status && next !== 'connecting' && next !== 'open') changes.push(next)
    status = next
  })
  return createCounter({
    name: `sdk-${Math.random()}`,
    changes,
    send: (message) => void channel.send(message),
    onMessage: (listener) => void channel.onMessage(listener as never),
    close: () => channel.close(),
  })
}

function connectRaw(baseUrl: string): Counter {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws/chat`)
  const changes: unknown[] = []
  const isOpen = new Promise((resolve) => socket.once('open', resolve))
  socket.on('close', (code) => changes.push(code)).on('error', (error) => changes.push(error.message))
  return createCounter({
    name: `raw-${Math.random()}`,
    changes,
    send: (message) => void isOpen.then(() => socket.send(JSON.stringify(message))),
    onMessage: (listener) =>
      void socket.on('message', (data: Buffer) => listener(JSON.parse(String(data)) as Received)),
    close: () => socket.close(),
  })
}

function createCounter({ name, changes, send, onMessage, close }: Transport): Counter {
  const received: Received[] = []
  let sent = 0
  onMessage((message) => void received.push(message))
  const sendNext = (): void => send({ who: name, n: ++sent })
  return {
    name,
    changes,
    sendNext,
    close,
    sent: () => sent,
    echoes: () => received.flatMap(({ echo }) => echo?.n ?? []),
    published: (who) => received.flatMap(({ published }) => (published?.who === who ? published.n : [])),
    ticks: () => received.flatMap(({ tick }) => tick ?? []),
    sendUntil: (version) =>
      soon(() => {
        sendNext()
        expect(received.some((message) => message.version === version)).toBe(true)
      }),
  }
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
