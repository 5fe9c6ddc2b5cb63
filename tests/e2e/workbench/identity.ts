import { once } from 'node:events'
import { encodeFrame, toSubprotocols } from '@sdk/protocol'
import { WebSocket } from 'ws'
import { beforeAll, describe, expect, it } from 'vitest'
import { soon } from '../soon.ts'
import { sdk, type BenchServer } from './bench-server.ts'
import type { Stage } from './stage.ts'

interface Opened {
  readonly user: { readonly id: string; readonly email: string }
  readonly token: string
}

/** Tests impersonation through the API of the workbench and the command line. */
export function testImpersonation(stage: () => Stage): void {
  describe('impersonation', () => {
    let server: BenchServer
    let ada: Opened['user']

    beforeAll(async () => {
      ;({ server } = stage())
      const body = JSON.stringify({ name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' })
      const headers = { 'content-type': 'application/json', origin: server.url }
      const response = await fetch(`${server.url}/api/auth/sign-up/email`, { method: 'POST', headers, body })
      expect(response.status).toBe(200)
      ada = ((await response.json()) as Opened).user
    })

    it('lists the users', async () => {
      expect(await server.api('GET /users')).toMatchObject([
        200,
        { hasAuth: true, users: [{ id: ada.id, name: 'Ada' }] },
      ])
      expect(await server.api('GET /users?search=nobody')).toEqual([200, { hasAuth: true, users: [] }])
    })

    it('opens a session that agents, routes and sockets accept, and records its user', async () => {
      const opened = await open(ada.id)
      expect(await request('POST /agent/whoami', opened.token)).toMatchObject([200, { id: ada.id, email: ada.email }])
      expect(await request('GET /api/mine', opened.token)).toMatchObject([200, { id: ada.id }])
      expect(await chat(opened.token)).toMatchObject({ from: 'Ada', text: 'hi' })
      await soon(async () =>
        expect(await server.api(`GET /runs?identity=${ada.email}`)).toMatchObject([
          200,
          {
            runs: [
              { route: '/ws/chat', kind: 'socket', identity: { userId: ada.id } },
              { route: 'GET /api/mine', identity: { email: ada.email } },
              { route: 'POST /agent/whoami', identity: { name: 'Ada' } },
            ],
          },
        ]),
      )
    })

    it('creates a test user once', async () => {
      const [status, user] = await server.api('POST /users', { name: 'Test', email: 'test@example.com' })
      expect([status, user]).toMatchObject([200, { name: 'Test', email: 'test@example.com' }])
      const opened = await open((user as Opened['user']).id)
      expect(await request('POST /agent/whoami', opened.token)).toMatchObject([200, { email: 'test@example.com' }])
      expect((await server.api('POST /users', { name: 'Test', email: 'Test@example.com' }))[0]).toBe(409)
      expect((await server.api('POST /users', { name: '', email: 'nonsense' }))[0]).toBe(400)
    })

    it('rejects unknown users and tokens', async () => {
      expect((await server.api('POST /sessions', { userId: 'nobody' }))[0]).toBe(404)
      expect(await request('GET /api/mine', 'nonsense')).toMatchObject([401, {}])
    })

    it('is used by sdk run --as', async () => {
      const { code, output } = await sdk(stage().project.path, 'run', 'whoami', '--as', 'ada@example.com')
      expect(code).toBe(0)
      expect(output).toContain(`"id": "${ada.id}"`)
      // The response arrives before its run is recorded.
      const last = { route: 'POST /agent/whoami', identity: { email: ada.email } }
      await soon(async () => expect(await server.api('GET /runs?limit=1')).toMatchObject([200, { runs: [last] }]))
      expect((await sdk(stage().project.path, 'runs', '--limit', '1')).output).toContain('ada@example.com')
      const unknown = await sdk(stage().project.path, 'run', 'whoami', '--as', 'eve@example.com')
      expect(unknown.output).toContain('UNKNOWN_USER')
    })

    async function open(userId: string): Promise<Opened> {
      const [status, opened] = await server.api('POST /sessions', { userId })
      expect([status, opened]).toMatchObject([200, { user: { id: userId }, expiresAt: expect.any(String) }])
      return opened as Opened
    }

    async function request(route: string, token: string): Promise<[number, unknown]> {
      const [method = '', path = ''] = route.split(' ')
      const response = await fetch(server.url + path, { method, headers: { authorization: `Bearer ${token}` } })
      return [response.status, await response.json()]
    }

    /** Sends a message and receives it; the token is sent as a subprotocol, as from a browser. */
    async function chat(token: string): Promise<unknown> {
      const url = `${server.url.replace('http:', 'ws:')}/ws/chat`
      const sender = new WebSocket(url, toSubprotocols(token))
      const listener = new WebSocket(url)
      await Promise.all([once(sender, 'open'), once(listener, 'open')])
      const received = once(listener, 'message')
      sender.send(encodeFrame({ o: 'hi', v: 1, sid: null, rx: 0, pos: {} }))
      sender.send(encodeFrame({ o: 'm', i: 1, d: { text: 'hi' } }))
      const [data] = (await received) as [Buffer]
      sender.close()
      listener.close()
      return JSON.parse(data.toString())
    }
  })
}
