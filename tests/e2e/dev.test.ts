import { createClient } from '@sdk/frontend'
import type { NodeProcess } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { createDemoProject } from './demo-project.ts'
import { startDev } from './mistakes/terminal.ts'
import { soon } from './soon.ts'

/** How often a file is saved under open sockets. */
const SAVES = 6

/** Answers every message with its version; what it tells by itself goes on for as long as there is a peer. */
const CHAT = `import { createSocket } from '@sdk/server'

const version = 0

export const chat = createSocket({
  open(peer) {
    let tick = 0
    const timer = setInterval(() => peer.send({ tick: ++tick }), 7)
    peer.data = { timer }
    return peer.join('lobby')
  },
  async message(peer, said) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    peer.send({ answer: said, version })
    await peer.publish('lobby', { told: said })
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

  it('keeps sockets open over many saves of their file, and neither loses nor repeats a message', async () => {
    const clients = [speakSdk(server.url), speakRaw(server.url)]
    await soon(() => expect(clients.map((client) => client.ticks().length > 0)).toEqual([true, true]))
    for (let version = 1; version <= SAVES; version++) {
      project.edit('src/api/chat.ts', `version = ${version - 1}`, `version = ${version}`)
      for (const client of clients) await client.talkUntil(version)
    }
    for (const client of clients) {
      await soon(() => expect(client.answers()).toEqual(countTo(client.sent())))
      for (const { name, sent } of clients) await soon(() => expect(client.told(name)).toEqual(countTo(sent())))
      expect(client.ticks()).toEqual(countTo(client.ticks().length))
      expect(client.changes).toEqual([])
    }
    for (const client of clients) client.close()
  })

  it('lets sockets go on with what they had while their file is broken', async () => {
    const client = speakRaw(server.url)
    await client.talkUntil(SAVES)
    project.edit('src/api/chat.ts', 'async message(', 'async message((')
    await until('GET /api/status', 'chat.ts:12')
    client.say()
    await soon(() => expect(client.answers()).toEqual(countTo(client.sent())))
    project.edit('src/api/chat.ts', 'async message((', 'async message(')
    project.edit('src/api/chat.ts', `version = ${SAVES}`, `version = ${SAVES + 1}`)
    await client.talkUntil(SAVES + 1)
    expect(client.changes).toEqual([])
    client.close()
  })

  it('ends sockets whose path is gone with 4404', async () => {
    const client = speakRaw(server.url)
    const own = speakSdk(server.url)
    await Promise.all([client.talkUntil(SAVES + 1), own.talkUntil(SAVES + 1)])
    project.edit('src/api/index.ts', "'/ws/chat'", "'/ws/talk'")
    await soon(() => expect([client.changes, own.changes]).toEqual([[4404], ['failed']]))
    project.edit('src/api/index.ts', "'/ws/talk'", "'/ws/chat'")
  })

  it('finishes requests that began before the save with the code they began with', async () => {
    const slow = call('GET /api/slow')
    await until('GET /api/slow-began', 'true')
    project.edit('src/api/index.ts', "return 'old'", "return 'new'")
    project.edit('src/api/index.ts', "() => 'ok'", "() => 'fine'")
    await until('GET /api/status', '"fine"')
    await call('POST /api/finish')
    expect(await slow).toEqual([200, '"old"'])
  })

  it('keeps the database and the memory of the process', async () => {
    expect(await call('POST /api/count')).toEqual([200, '1'])
    expect(await call('POST /api/v1/notes', { text: 'kept' })).toMatchObject([201, {}])
    project.edit('src/api/index.ts', "() => 'fine'", "() => 'good'")
    await until('GET /api/status', '"good"')
    expect(await call('POST /api/count')).toEqual([200, '2'])
    expect(await call('GET /api/v1/notes')).toMatchObject([200, expect.stringContaining('kept')])
    expect(server.output().match(/opened the embedded database/g)).toHaveLength(1)
  })

  it('follows an agent that is renamed, and an API that is removed and comes back', async () => {
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

  it('shows a web app that is removed and comes back', async () => {
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
})

interface Said {
  readonly who: string
  readonly n: number
}

interface Heard {
  readonly answer?: Said
  readonly version?: number
  readonly told?: Said
  readonly tick?: number
}

/** A client that counts aloud. */
interface Speaker {
  readonly name: string
  /** What became of its connection. */
  readonly changes: readonly unknown[]
  say(): void
  /** Says one number after the other until a version has answered. */
  talkUntil(version: number): Promise<void>
  sent(): number
  answers(): number[]
  /** What this one said in the room. */
  told(name: string): number[]
  ticks(): number[]
  close(): void
}

interface Voice {
  readonly name: string
  readonly changes: unknown[]
  send(message: Said): void
  onMessage(listener: (message: Heard) => void): void
  close(): void
}

function speakSdk(baseUrl: string): Speaker {
  const channel = createClient({ baseUrl, WebSocket }).socket<string>('/ws/chat')
  const changes: unknown[] = []
  let status = ''
  channel.state.subscribe(() => {
    const { status: next } = channel.state.get()
    if (next !== status && next !== 'connecting' && next !== 'open') changes.push(next)
    status = next
  })
  return createSpeaker({
    name: `sdk-${Math.random()}`,
    changes,
    send: (message) => void channel.send(message),
    onMessage: (listener) => void channel.onMessage(listener as never),
    close: () => channel.close(),
  })
}

function speakRaw(baseUrl: string): Speaker {
  const socket = new WebSocket(`${baseUrl.replace('http', 'ws')}/ws/chat`)
  const changes: unknown[] = []
  const isOpen = new Promise((resolve) => socket.once('open', resolve))
  socket.on('close', (code) => changes.push(code)).on('error', (error) => changes.push(error.message))
  return createSpeaker({
    name: `raw-${Math.random()}`,
    changes,
    send: (message) => void isOpen.then(() => socket.send(JSON.stringify(message))),
    onMessage: (listener) => void socket.on('message', (data: Buffer) => listener(JSON.parse(String(data)) as Heard)),
    close: () => socket.close(),
  })
}

function createSpeaker({ name, changes, send, onMessage, close }: Voice): Speaker {
  const heard: Heard[] = []
  let sent = 0
  onMessage((message) => void heard.push(message))
  const say = (): void => send({ who: name, n: ++sent })
  return {
    name,
    changes,
    say,
    close,
    sent: () => sent,
    answers: () => heard.flatMap(({ answer }) => answer?.n ?? []),
    told: (who) => heard.flatMap(({ told }) => (told?.who === who ? told.n : [])),
    ticks: () => heard.flatMap(({ tick }) => tick ?? []),
    talkUntil: (version) =>
      soon(() => {
        say()
        expect(heard.some((message) => message.version === version)).toBe(true)
      }),
  }
}

function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}
