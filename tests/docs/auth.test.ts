import { generateKeyPairSync, sign } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createApp,
  createLog,
  createResource,
  createRouter,
  createSocket,
  memoryStore,
  serve,
  type Router,
  type Server,
  type SessionMiddleware,
} from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { writePage } from './write-page.ts'

describe('docs/guide/auth.md', () => {
  let app: TestApp
  let admin: TestApp
  beforeAll(async () => {
    const { path } = await writePage('docs/guide/auth.md')
    app = await testApp(path)
    await app.call('GET /api/auth/get-session') // waits until the database is there
    const file = pathToFileURL(join(path, 'src/api/admin.ts')).href
    const module = (await import(/* @vite-ignore */ file)) as { admin: Router }
    const router = createRouter().mount('/api/admin', module.admin)
    admin = await testApp(createApp({ router, log: createLog({ level: 'silent' }) }))
  })
  afterAll(() => Promise.all([app?.close(), admin?.close()]))

  it('identifies the caller and rejects guests', async () => {
    expect(await app.as({ name: 'Ada' }).call('GET /api/me')).toEqual({ name: 'Ada' })
    expect(await app.call('GET /api/me')).toEqual({ name: null })
    await expect(app.call('GET /api/v1/notes')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
  })

  it('creates accounts with the fields that users may set', async () => {
    const ada = { name: 'Ada', email: 'ada@example.com', nickname: 'Countess' }
    const short = app.call('POST /api/auth/sign-up/email', { ...ada, password: '1234567' })
    await expect(short).rejects.toMatchObject({ status: 400 })
    const { user } = (await app.call('POST /api/auth/sign-up/email', { ...ada, password: 'a long password' })) as {
      user: object
    }
    expect(user).toMatchObject({ name: 'Ada', nickname: 'Countess', role: 'member' })
  })

  it('allows only admins', async () => {
    expect(await admin.as({ name: 'Ada', role: 'admin' }).call('GET /api/admin/users')).toEqual({ users: [] })
    const refused = admin.as({ name: 'Alan', role: 'member' }).call('GET /api/admin/users')
    await expect(refused).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(admin.call('GET /api/admin/users')).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('users of an external identity provider', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let server: Server
  beforeAll(async () => {
    process.env['COMPANY_KEY'] = publicKey.export({ type: 'spki', format: 'pem' }) as string
    const { path } = await writePage('docs/guide/auth.md')
    const file = pathToFileURL(join(path, 'src/company.ts')).href
    const { company } = (await import(/* @vite-ignore */ file)) as { company: SessionMiddleware }
    const notes = createResource('notes', {
      schema: z.object({ text: z.string() }),
      store: memoryStore(),
      access: ({ user }) => (user ? { ownerId: user.id } : false),
      assign: ({ user }) => ({ ownerId: user?.id ?? '' }),
    })
    const chat = createSocket({ open: async (peer) => peer.send((await peer.auth?.getUser())?.name) })
    const router = createRouter().use('/*', company).resource('v1', notes).socket('/ws/chat', chat)
    server = await serve(createApp({ router, log: createLog({ level: 'silent' }) }), { port: 0, signals: false })
  })
  afterAll(() => server?.close())

  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const token = (sub: string, change: object = {}, key = privateKey): string => {
    const exp = Math.floor(Date.now() / 1000) + 600
    const about = { iss: 'https://id.example.com', aud: 'my-app', name: sub, email: `${sub}@example.com` }
    const text = `${part({ alg: 'RS256' })}.${part({ ...about, sub, exp, ...change })}`
    return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
  }
  const list = (shown: string): Promise<Response> =>
    fetch(`${server.url}/api/v1/notes`, { headers: { authorization: `Bearer ${shown}` } })

  it('can read only their own rows', async () => {
    const headers = { authorization: `Bearer ${token('ada')}`, 'content-type': 'application/json' }
    const made = await fetch(`${server.url}/api/v1/notes`, { method: 'POST', headers, body: '{"text":"Tea"}' })
    expect(made.status).toBe(201)
    const seen = await Promise.all(['ada', 'alan'].map(async (name) => (await list(token(name))).json()))
    expect(seen).toMatchObject([{ data: [{ text: 'Tea' }] }, { data: [] }])
  })

  it('are rejected with 401 if the token is invalid', async () => {
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    const wrong = [token('ada', {}, other), token('ada', { exp: 1 }), token('ada', { aud: 'another' }), 'a.b.c']
    for (const shown of wrong) expect((await list(shown)).status).toBe(401)
  })

  const connect = (exp: number): WebSocket =>
    new WebSocket(`${server.url.replace('http', 'ws')}/ws/chat`, ['sdk.v1', `sdk.token.${token('ada', { exp })}`])
  const now = (): number => Math.floor(Date.now() / 1000)

  it('are identified on sockets', async () => {
    const socket = connect(now() + 600)
    const messages: string[] = []
    socket.on('message', (data: Buffer) => messages.push(data.toString()))
    await once(socket, 'open')
    socket.send('{"o":"hi","v":1,"sid":null,"rx":0,"pos":{}}')
    await expect.poll(() => messages.join(' ')).toContain('"d":"ada"')
    socket.terminate()
  })

  it('are disconnected with 4401 when their token expires', async () => {
    const [code] = await once(connect(now() + 2), 'close')
    expect(code).toBe(4401)
  })
})
