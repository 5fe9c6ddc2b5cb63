import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createApp, memoryEngine, type AppHandle } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/guide/sockets.md', () => {
  let app: TestApp
  let page: { path: string }
  beforeAll(async () => {
    page = await writePage('docs/guide/sockets.md')
    app = await testApp(page.path)
  })
  afterAll(() => app?.close())

  it('echoes messages, also after a reconnect', async () => {
    const echo = await app.socket('/ws/echo')
    echo.send({ a: 1 })
    expect(await echo.next()).toEqual({ a: 1 })
    await echo.drop()
    echo.send('again')
    expect(await echo.next()).toBe('again')
    await echo.close()
  })

  it('uses a separate room for each board', async () => {
    const [seven, eight, other] = await Promise.all([
      app.as({ name: 'Ada' }).socket('/ws/board?id=7'),
      app.as({ name: 'Alan' }).socket('/ws/board?id=8'),
      app.as({ name: 'Alan' }).socket('/ws/board?id=7'),
    ])
    seven.send({ draw: 'a line' })
    expect(await other.next()).toEqual({ by: 'Ada', draw: 'a line' })
    eight.send({ draw: 'a dot' })
    expect(await eight.next()).toEqual({ by: 'Alan', draw: 'a dot' })
    await Promise.all([seven.close(), eight.close(), other.close()])
  })

  it('reports an invalid message to the client and keeps the socket open', async () => {
    const board = await app.as({ name: 'Ada' }).socket('/ws/board?id=9')
    board.send({ draw: 5 })
    await expect(board.next()).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    board.send({ draw: 'a line' })
    expect(await board.next()).toEqual({ by: 'Ada', draw: 'a line' })
    await board.close()
  })

  it('closes the socket of a guest with 4401', async () => {
    const guest = await app.socket('/ws/board?id=7')
    await expect(guest.next()).rejects.toMatchObject({ code: 'UNAUTHORIZED', message: 'sign in to draw' })
    expect(guest.closedWith).toBe(4401)
  })

  it('sends to one user, and allows only moderators to remove users', async () => {
    const [ada, bob] = [app.as({ name: 'Ada', role: 'moderator' }), app.as({ name: 'Bob', id: 'bob' })]
    const [boss, guest] = [await ada.socket('/ws/table'), await bob.socket('/ws/table')]
    const nextOf = async (socket: typeof boss, type: string): Promise<unknown> => {
      const message = (await socket.next()) as { type: string }
      return message.type === type ? message : nextOf(socket, type)
    }
    boss.send({ type: 'whisper', to: 'bob', text: 'psst' })
    expect(await nextOf(guest, 'whispered')).toEqual({ type: 'whispered', from: 'Ada', text: 'psst' })
    guest.send({ type: 'kick', who: 'ada' })
    await expect(nextOf(guest, 'none')).rejects.toMatchObject({
      code: 'FORBIDDEN',
      message: 'only moderators can remove users',
    })
    boss.send({ type: 'kick', who: 'bob' })
    await expect(nextOf(guest, 'none')).rejects.toMatchObject({ message: 'removed by a moderator' })
    expect([guest.closedWith, boss.closedWith]).toEqual([4403, null])
    await boss.close()
  })

  it('publishes from a route', async () => {
    const chat = await app.socket('/ws/chat')
    await app.call('POST /api/announce', {})
    expect(await chat.next()).toEqual({ from: 'the server', text: 'Tea is ready' })
    await chat.close()
  })

  it('publishes from a timer in only one process', async () => {
    const publish = vi.fn<AppHandle['publish']>()
    const engine = memoryEngine()
    const apps = [createApp({ engine }), createApp({ engine })].map((one) => ({ ...one, publish }))
    const { clock } = (await import(/* @vite-ignore */ pathToFileURL(join(page.path, 'src/api/clock.ts')).href)) as {
      clock: (app: AppHandle) => () => void
    }
    vi.useFakeTimers({ now: new Date('2026-11-16T05:00:00Z') })
    try {
      const stops = apps.map(clock)
      await vi.advanceTimersByTimeAsync(60_000)
      expect(publish.mock.calls).toEqual([['lobby', { from: 'the clock', text: '2026-11-16T05:01' }]])
      for (const stop of stops) stop()
      expect(vi.getTimerCount()).toBe(0)
    } finally {
      vi.useRealTimers()
    }
  })
})
