import { once } from 'node:events'
import { ApiError, createApp, createRouter, createSocket, serve, type Log, type Server } from '@sdk/server'
import { temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { Run } from '../run.ts'
import { openRunStore } from '../store/file-run-store.ts'
import type { RunStore } from '../store/run-store.ts'
import { createAppRecorder } from './app-recorder.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }

const chat = createSocket({
  open: (peer) => peer.join('lobby'),
  async message(peer, message: unknown) {
    if (message === 'fail') throw new TypeError('a bad message')
    await peer.publish('lobby', { said: message })
  },
})

const router = createRouter()
  .use('/ws/closed', () => {
    throw new ApiError('FORBIDDEN', 'members only')
  })
  .socket('/ws/chat', chat)
  .socket('/ws/closed', createSocket({}))

let folder: TemporaryFolder
let store: RunStore
let server: Server

beforeEach(async () => {
  folder = temporaryFolder('sockets')
  store = openRunStore({ folder: folder.path })
  const app = createApp({ router, log: silent })
  const recorder = createAppRecorder({ store, root: import.meta.dirname })
  server = await serve(recorder.recordApp(app), { port: 0, signals: false, survive: false })
})

afterEach(async () => {
  await server.close()
  await store.close()
  folder.remove()
})

const connect = (path: string, protocols: string[] = []): WebSocket =>
  new WebSocket(server.url.replace('http', 'ws') + path, protocols, { headers: { 'user-agent': 'curl/8' } })

async function runs(): Promise<Run[]> {
  await store.flush()
  const { runs: all } = await store.list()
  return (await Promise.all(all.map(({ id }) => store.read(id)))).flatMap((run) => run ?? [])
}

async function sendAndReceive(socket: WebSocket, text: string): Promise<void> {
  socket.send(text)
  await once(socket, 'message')
}

describe('createAppRecorder with sockets', () => {
  it('records every frame in both directions, while the socket is open and after it has closed', async () => {
    const socket = connect('/ws/chat?token=S3CR3T')
    await once(socket, 'open')
    await sendAndReceive(socket, '"hello"')
    await sendAndReceive(socket, '{"password":"S3CR3T"}')
    const [running] = await runs()
    expect(running).toMatchObject({ kind: 'socket', route: '/ws/chat', state: 'running', status: 101, chunks: 4 })
    socket.close(1000, 'enough')
    await expect.poll(async () => (await runs())[0]?.state).toBe('done')
    const [run] = await runs()
    expect(run).toMatchObject({
      target: '/ws/chat?token=[redacted]',
      caller: 'curl',
      closed: { code: 1000, reason: 'enough' },
      chunks: 4,
      error: null,
    })
    expect(run?.pieces.map(({ from, text }) => [from, text])).toEqual([
      ['client', '"hello"'],
      ['server', '{"said":"hello"}'],
      ['client', '{"password":"[redacted]"}'],
      ['server', '{"said":{"password":"[redacted]"}}'],
    ])
    expect(run?.bytes).toBe(7 + 16 + 21 + 30)
  })

  it('records concurrent clients separately', async () => {
    const sockets = [connect('/ws/chat?n=1'), connect('/ws/chat?n=2')]
    await Promise.all(sockets.map((socket) => once(socket, 'open')))
    for (const [n, socket] of sockets.entries()) await sendAndReceive(socket, String(n + 1))
    for (const socket of sockets) socket.close()
    await expect.poll(async () => (await store.list({ status: 'done' })).runs.length).toBe(2)
    for (const run of await runs()) {
      const sent = run.pieces.filter(({ from }) => from === 'client').map(({ text }) => text)
      expect(sent).toEqual([run.target.at(-1)])
    }
  })

  it('records errors that a handler threw', async () => {
    const socket = connect('/ws/chat')
    await once(socket, 'open')
    socket.send('"fail"')
    await expect.poll(async () => (await runs())[0]?.thrown?.message).toBe('a bad message')
    socket.close()
    await expect.poll(async () => (await runs())[0]?.state).toBe('failed')
    const [run] = await runs()
    expect(run?.thrown).toMatchObject({ name: 'TypeError' })
    expect(run?.thrown?.frames[0]).toMatchObject({ file: 'record-socket.test.ts', isForeign: false })
    expect(run?.error).toBe('TypeError: a bad message')
  })

  it('records rejected connections', async () => {
    const socket = connect('/ws/closed')
    await once(socket, 'error')
    expect((await runs())[0]).toMatchObject({ state: 'refused', status: 403, error: 'FORBIDDEN: members only' })
  })

  it('records an aborted connection as cancelled', async () => {
    const socket = connect('/ws/chat')
    await once(socket, 'open')
    socket.terminate()
    await expect.poll(async () => (await runs())[0]?.state).toBe('cancelled')
    expect((await runs())[0]?.closed?.code).toBe(1006)
  })
})
