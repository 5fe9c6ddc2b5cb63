import { describe, expect, it } from 'vitest'
import { createClient } from './client.ts'
import { createFakeAuthSource } from './fake-auth-source.test.fixture.ts'
import { settle } from './fake-clock.test.fixture.ts'
import { createFakeWebSockets } from './fake-web-socket.test.fixture.ts'

describe('client.socket', () => {
  it('opens a socket where the server is', async () => {
    const { WebSocket, last } = createFakeWebSockets()
    const client = createClient({ baseUrl: 'https://x.dev/base', WebSocket })
    client.socket('/ws/rooms/:id', { params: { id: 'a b' }, query: { q: 1 } })
    await settle()
    expect(last()).toMatchObject({ url: 'wss://x.dev/base/ws/rooms/a%20b?q=1', protocols: ['sdk.v1'] })
  })

  it('is shared by all who open the same one', async () => {
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

  it('carries the token, is never shared between users, and never speaks for the next one', async () => {
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
    ofAda.send('private')
    sockets[0]?.hangUp(4401)
    await settle()
    expect(ofAda.state.get()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHORIZED' } })
    expect(sockets).toHaveLength(2)
  })

  it('is not of the user who comes while it is being opened', async () => {
    const { WebSocket, sockets } = createFakeWebSockets()
    const auth = createFakeAuthSource()
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    auth.become('ada')
    const ofAda = client.socket('/ws/a')
    ofAda.send('private')
    auth.become('bob')
    await settle()
    expect(ofAda.state.get()).toMatchObject({ status: 'failed', error: { code: 'UNAUTHORIZED' } })
    expect(sockets).toHaveLength(0)
  })

  it('is of whoever turns out to be signed in, and nobody who comes after shares it', async () => {
    const { WebSocket, sockets, last } = createFakeWebSockets()
    const auth = createFakeAuthSource({ loading: true })
    const client = createClient({ baseUrl: 'http://x.dev', WebSocket, auth })
    const early = client.socket('/ws/a')
    auth.become('ada')
    await settle()
    last().welcome()
    expect(last().protocols).toEqual(['sdk.v1', 'sdk.token.token-of-ada'])
    auth.become(null)
    const heard: unknown[] = []
    client.socket('/ws/a').onMessage((message) => heard.push(message))
    await settle()
    expect(sockets.map(({ protocols }) => protocols.length)).toEqual([2, 1])
    sockets[0]?.tell({ o: 'm', i: 1, d: 'for ada' })
    expect(heard).toEqual([])
    early.close()
  })
})
