import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@sdk/frontend'
import type { TemporaryFolder } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { writePage } from './write-page.ts'

/** The exports of each file of the page. */
interface With {
  start(port: number): Promise<{ server: Server; close(): Promise<void> }>
}

const project: { current?: TemporaryFolder } = {}
beforeAll(async () => {
  project.current = await writePage('docs/guide/existing-app.md')
})
// Hono's server replaces these globals, and other files run in the same process.
const { Request, Response } = Object.getOwnPropertyDescriptors(globalThis)
afterAll(() => {
  Object.defineProperties(globalThis, { Request, Response })
  return project.current?.remove()
})

describe.each(['express', 'fastify', 'hono'])('an app attached to %s', (name) => {
  let running: Awaited<ReturnType<With['start']>>
  let url: string
  let cookie: string

  beforeEach(async () => {
    running = await (await load<With>(`with-${name}.ts`)).start(0)
    if (!running.server.listening) await once(running.server, 'listening')
    url = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`
    cookie = `sid=${(await load<{ signIn(): string }>('their-sessions.ts')).signIn()}`
  })
  afterEach(() => running.close())

  it('handles its own paths and leaves the others to the server', async () => {
    expect(await (await fetch(`${url}/api/old`)).json()).toEqual({ old: true })
    expect((await fetch(`${url}/api/unknown`)).status).toBe(404)
    expect((await fetch(`${url}/api/unknown`)).headers.get('x-request-id')).toBeNull()
    expect((await fetch(`${url}/api/v1/unknown`)).headers.get('x-request-id')).not.toBeNull()
  })

  it('identifies the users of the server', async () => {
    const request = async (headers: Record<string, string>): Promise<unknown> =>
      (await fetch(`${url}/api/me`, { headers })).json()
    expect(await request({})).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
    expect(await request({ cookie })).toEqual({ name: 'Ada' })
  })

  it('streams even if a middleware of the server reads bodies', async () => {
    const chunks: unknown[] = []
    for await (const chunk of createClient({ baseUrl: url }).stream('POST /agent/count', { to: 3 })) chunks.push(chunk)
    expect(chunks).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('serves its sockets on the same port and closes them with 1012', async () => {
    const socket = createClient({ baseUrl: url, WebSocket }).socket('/ws/chat')
    const received = new Promise((resolve) => socket.onMessage(resolve))
    socket.send('hello')
    expect(await received).toBe('hello')
    const plain = new WebSocket(`${url}/ws/chat`)
    await once(plain, 'open')
    const closed = once(plain, 'close')
    await running.close()
    expect((await closed)[0]).toBe(1012)
    expect(running.server.listening).toBe(false)
    socket.close()
  })
})

it('shares the port and the login with express, which keeps its own sockets', async () => {
  const running = await (await load<With>('with-express.ts')).start(0)
  const url = `http://127.0.0.1:${(running.server.address() as AddressInfo).port}`
  const [message] = await once(new WebSocket(`${url}/live`), 'message')
  expect(String(message)).toBe('theirs')
  const login = await fetch(`${url}/login`, { method: 'POST' })
  const [line = ''] = login.headers.getSetCookie()
  const me = await fetch(`${url}/api/me`, { headers: { cookie: line.split(';', 1)[0] ?? '' } })
  expect(await me.json()).toEqual({ name: 'Ada' })
  const chat = new WebSocket(`${url}/ws/chat`)
  await once(chat, 'open')
  chat.send('"hello"')
  await once(chat, 'message')
  const received = once(chat, 'message')
  await fetch(`${url}/announce`, { method: 'POST' })
  expect(String((await received)[0])).toBe('"Tea is ready"')
  await running.close()
})

async function load<T>(file: string): Promise<T> {
  return (await import(/* @vite-ignore */ pathToFileURL(join(project.current?.path ?? '', 'src', file)).href)) as T
}
