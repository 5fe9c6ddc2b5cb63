// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { identity } from '../data/identity.ts'
import { startTestBench } from '../runs/page.test.fixture.tsx'
import { createServerSockets, type ServerSocket } from './server-socket.test.fixture.ts'
import { SocketPage } from './socket-page.tsx'

const bench = startTestBench()
const ADA = { id: 'u1', name: 'Ada', email: 'ada@example.com', createdAt: '2026-01-01T00:00:00.000Z' }
let server = createServerSockets()

beforeEach(() => {
  server = createServerSockets()
  localStorage.clear()
  identity.use({ kind: 'anonymous' })
  vi.stubGlobal('WebSocket', server.WebSocket)
  const routes = ['/ws/chat', '/ws/rooms/:id'].map((route) => ({ route, kind: 'socket' }))
  bench.handlers['GET /_workbench/api/manifest'] = () => ({ revision: 1, routes, problems: [] })
  bench.handlers['GET /_workbench/api/users'] = () => ({ hasAuth: true, users: [ADA] })
  bench.handlers['POST /_workbench/api/sessions'] = () => ({ user: ADA, token: 'of-ada', expiresAt: ADA.createdAt })
})

/** Accepts the n-th connection. */
async function welcome(index = 0): Promise<ServerSocket> {
  await waitFor(() => expect(server.sockets.length).toBeGreaterThan(index))
  const end = server.sockets[index]
  if (end === undefined) throw new Error(`no connection ${index}`)
  act(() => {
    end.accept()
    if (end.protocols.length > 0)
      end.deliver('{"o":"ok","sid":"s","res":false,"ack":0,"hb":20000,"win":256,"max":1048576,"spread":0}')
  })
  return end
}

const client = (n: number): ReturnType<typeof within> => within(screen.getByRole('region', { name: `Client ${n}` }))
const rows = (): (string | undefined)[] =>
  screen.getAllByRole('listitem').map((row) => row.querySelector('.frame-text')?.textContent)

describe('SocketPage', () => {
  it('sends messages, and shows received ones', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    const end = await welcome()
    expect(end.url).toBe('ws://bench.test/ws/chat')
    expect(await screen.findByText('open')).toBeDefined()
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: '{"n":$n}' } })
    expect(screen.getByRole<HTMLButtonElement>('button', { name: /^Send/ }).disabled).toBe(true)
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: '{"n":"$n"}' } })
    fireEvent.change(screen.getByLabelText('Repeat'), { target: { value: '2' } })
    fireEvent.keyDown(screen.getByLabelText('Message'), { key: 'Enter', ctrlKey: true })
    act(() => end.deliver('{"o":"m","i":1,"d":"back"}'))
    await waitFor(() => expect(rows()).toEqual(['connected with sdk.v1', '{"n":"1"}', '{"n":"2"}', '"back"']))
    expect(end.received.slice(1, 3)).toEqual(['{"o":"m","i":1,"d":{"n":"1"}}', '{"o":"m","i":2,"d":{"n":"2"}}'])
  })

  it('shows the frames of the protocol, filters them, and opens one', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    await welcome()
    fireEvent.click(await screen.findByRole('button', { name: 'Wire view' }))
    await waitFor(() => expect(rows()).toHaveLength(4))
    fireEvent.change(screen.getByLabelText('Filter frames'), { target: { value: '"o":"ok"' } })
    await waitFor(() => expect(rows()).toHaveLength(1))
    fireEvent.click(screen.getByRole('button', { name: /^received/ }))
    expect(screen.getByRole('complementary').textContent).toContain('"hb": 20000')
    fireEvent.click(screen.getByRole('button', { name: 'Clear' }))
    expect(await screen.findByText('No matching frames')).toBeDefined()
  })

  it('holds messages while it is paused, and reconnects after a drop', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    const end = await welcome()
    fireEvent.click(await screen.findByRole('button', { name: 'Pause' }))
    act(() => end.deliver('{"o":"m","i":1,"d":"held"}'))
    expect(await screen.findByRole('button', { name: 'Resume', pressed: true })).toBeDefined()
    expect(rows()).not.toContain('"held"')
    fireEvent.click(screen.getByRole('button', { name: 'Resume' }))
    await waitFor(() => expect(rows()).toContain('"held"'))
    fireEvent.click(screen.getByRole('button', { name: 'Drop' }))
    expect(await screen.findByText('reconnecting')).toBeDefined()
    await welcome(1)
    expect(await screen.findByText('open')).toBeDefined()
    expect(end.readyState).toBe(3)
  })

  it('opens a second client with a separate identity', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    await welcome()
    fireEvent.click(screen.getByRole('button', { name: 'Second client' }))
    await welcome(1)
    const picker = await client(2).findByLabelText('Client 2 connects as')
    await within(picker).findByText('Ada')
    fireEvent.change(picker, { target: { value: 'u1' } })
    await waitFor(() => expect(server.sockets).toHaveLength(3))
    expect(server.sockets.map(({ protocols }) => protocols.at(-1))).toEqual(['sdk.v1', 'sdk.v1', 'sdk.token.of-ada'])
    expect(identity.snapshot().kind).toBe('anonymous')
    fireEvent.click(screen.getByRole('button', { name: 'Remove Client 2' }))
    expect(screen.queryByRole('region', { name: 'Client 2' })).toBeNull()
    expect(server.sockets.map(({ readyState }) => readyState)).toEqual([1, 3, 3])
  })

  it('reconnects as the identity selected in the header', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    await welcome()
    act(() => identity.use({ kind: 'user', user: ADA, token: 't1' }))
    await waitFor(() => expect(server.sockets).toHaveLength(2))
    expect([server.sockets[0]?.readyState, server.last().protocols]).toEqual([3, ['sdk.v1', 'sdk.token.t1']])
    act(() => identity.use({ kind: 'user', user: ADA, token: 't2' }))
    expect(server.sockets).toHaveLength(2)
  })

  it('supports raw mode with any text', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    fireEvent.change(await screen.findByLabelText('Mode of Client 1'), { target: { value: 'raw' } })
    await waitFor(() => expect(server.last().protocols).toEqual([]))
    const end = await welcome(server.sockets.length - 1)
    fireEvent.change(screen.getByLabelText('Message'), { target: { value: 'no JSON' } })
    fireEvent.click(screen.getByRole('button', { name: /^Send/ }))
    expect(end.received).toEqual(['no JSON'])
  })

  it('recalls sent messages with the arrow keys', async () => {
    bench.open('/ws/chat', <SocketPage path="/ws/chat" />)
    await welcome()
    const message = await screen.findByLabelText<HTMLTextAreaElement>('Message')
    for (const text of ['1', '2']) {
      fireEvent.change(message, { target: { value: text } })
      fireEvent.click(screen.getByRole('button', { name: /^Send/ }))
    }
    const values = ['ArrowUp', 'ArrowUp', 'ArrowUp', 'ArrowDown'].map((key) => {
      fireEvent.keyDown(message, { key })
      return message.value
    })
    expect(values).toEqual(['2', '1', '1', '2'])
  })

  it('requires the path parameters', async () => {
    bench.open('/ws/rooms/:id', <SocketPage path="/ws/rooms/:id" />)
    fireEvent.change(await screen.findByLabelText('id'), { target: { value: 'a b' } })
    await waitFor(() => expect(server.last().url).toBe('ws://bench.test/ws/rooms/a%20b'))
    expect(server.sockets).toHaveLength(1)
  })

  it('lists existing sockets if the socket is not found', async () => {
    bench.open('/ws/nothing', <SocketPage path="/ws/nothing" />)
    expect(await screen.findByText('Socket /ws/nothing not found')).toBeDefined()
    expect(screen.getAllByRole('link')[0]?.getAttribute('href')).toBe('/_workbench/ws/chat')
  })
})
