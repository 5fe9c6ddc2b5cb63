import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createClient } from './client.ts'
import { createFakeAuthSource } from './auth/fake-auth-source.test.fixture.ts'
import { settle } from './fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './socket/fake-web-socket.test.fixture.ts'

// Most of the sockets stay open, and would reconnect during later tests.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

describe('client.socket', () => {
  it('opens a socket below the base URL', async () => {
    const { WebSocket, last } = createFakeWebSockets()
    const client = createClient({ baseUrl: 'https://x.dev/base', WebSocket })
    client.socket('/ws/rooms/:id', { params: { id: 'a b' }, query: { q: 1 } })
    await settle()
    expect(last()).toMatchObject({ url: 'wss://x.dev/base/ws/rooms/a%20b?q=1', protocols: ['sdk.v1'] })
  })

  it('shares one connection per path', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket })
    const one = client.socket('/ws/a')
    const two = client.socket('/ws/a')
    client.socket('/ws/b')
    await settle()
    expect(sockets.map(({ url }) => url)).toEqual(['ws://x.dev/ws/a', 'ws://x.dev/ws/b'])
    one.close()
    expect(one.state.get().status).toBe('closed')
    expect([one.send(1), two.send(2)]).toEqual([false, true])
    two.close()
    expect(sockets[0]?.isClosed).toBe(true)
    expect(last().isClosed).toBe(false)
  })

  it('sends the token and closes the socket when the user changes', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const auth = createFakeAuthSource()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    auth.become('ada')
    const ofAda = client.socket('/ws/a')
    await settle()
    expect(last().protocols).toEqual(['sdk.v1', 'sdk.token.token-of-ada'])
    auth.become('bob')
    client.socket('/ws/a')
    await settle()
    expect(last().protocols).toEqual(['sdk.v1', 'sdk.token.token-of-bob'])
    expect(ofAda.state.get()).toMatchObject({ status: 'closed', error: null })
    expect([ofAda.send('private'), sockets.map(({ isClosed }) => isClosed)]).toEqual([false, [true, false]])
  })

  it('keeps the socket open when the token is renewed', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const auth = createFakeAuthSource()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    auth.become('ada', 'one')
    const ofAda = client.socket('/ws/a')
    await settle()
    last().welcome()
    auth.become('ada', 'two')
    await settle()
    expect(ofAda.state.get().status).toBe('open')
    expect(sockets).toHaveLength(1)
  })

  it('closes without an error if the server ends the session first', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const auth = createFakeAuthSource()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    let forced = 0
    auth.become('ada')
    auth.onForce = () => {
      forced++
      auth.become(null)
    }
    const ofAda = client.socket('/ws/a')
    const seen: string[] = []
    ofAda.state.subscribe(() => seen.push(ofAda.state.get().status))
    await settle()
    last().welcome()
    last().hangUp(4401)
    await settle()
    expect(seen.at(-1)).toBe('closed')
    expect(seen).not.toContain('failed')
    expect([forced, sockets.length]).toEqual([1, 1])
  })

  it('fails with an error if a new token is rejected as well', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const auth = createFakeAuthSource()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    let forced = 0
    auth.become('ada')
    auth.onForce = () => auth.become('ada', `fresh-${++forced}`)
    const ofAda = client.socket('/ws/a')
    await settle()
    last().hangUp(4401)
    await settle()
    expect(last().protocols).toEqual(['sdk.v1', 'sdk.token.fresh-1'])
    last().hangUp(4401)
    await settle()
    expect(ofAda.state.get()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHORIZED' } })
    expect([forced, sockets.length]).toEqual([1, 2])
  })

  it('closes if the user changes while the socket is opened', async () => {
    const { WebSocket, sockets } = createFakeWebSockets()
    const auth = createFakeAuthSource()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    auth.become('ada')
    const ofAda = client.socket('/ws/a')
    ofAda.send('private')
    auth.become('bob')
    await settle()
    expect(ofAda.state.get()).toMatchObject({ status: 'closed', error: null })
    expect(sockets).toHaveLength(0)
  })

  it('waits for the user to load and does not share the socket with the next one', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const auth = createFakeAuthSource({ loading: true })
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    const early = client.socket('/ws/a')
    auth.become('ada')
    await settle()
    last().welcome()
    expect(last().protocols).toEqual(['sdk.v1', 'sdk.token.token-of-ada'])
    auth.become(null)
    const received: unknown[] = []
    client.socket('/ws/a').onMessage((message) => received.push(message))
    await settle()
    expect(sockets.map(({ protocols }) => protocols.length)).toEqual([2, 1])
    sockets[0]?.deliver({ o: 'm', i: 1, d: 'for ada' })
    expect(received).toEqual([])
    early.close()
  })
})
