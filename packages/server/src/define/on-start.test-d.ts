import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createApp, type App } from '../app/app.ts'
import { createRouter } from './router.ts'
import type { MessageOf, AppHandle } from './on-start.ts'
import { createSocket } from './socket.ts'

const chat = createSocket({ send: z.object({ text: z.string() }) })
const board = createSocket({ send: z.object({ draw: z.coerce.number<string>() }) })

describe('app.publish', () => {
  it('takes what the sockets of the app send, as their schemas make it', () => {
    const app = createApp({ router: createRouter().socket('/ws/chat', chat).socket('/ws/board', board) })
    void app.publish('lobby', { text: 'hello' })
    void app.publish('lobby', { draw: 7 })
    // @ts-expect-error -- no socket sends that
    void app.publish('lobby', { texts: 'hello' })
    expectTypeOf(app).toExtend<App>()
    expectTypeOf(app).toExtend<AppHandle>()
  })

  it('takes anything where no schema says what is sent', () => {
    expectTypeOf<MessageOf<{}>>().toBeUnknown()
    expectTypeOf<MessageOf<unknown>>().toBeUnknown()
    void createApp().publish('lobby', 7)
    void createApp({ router: createRouter().socket('/ws/chat', createSocket({})) }).publish('lobby', 7)
  })
})

describe('onStart', () => {
  it('knows the sockets that were said before, and lets the router go on', () => {
    const _router = createRouter()
      .socket('/ws/chat', chat)
      .onStart((app) => {
        expectTypeOf(app).toEqualTypeOf<AppHandle<{ text: string }>>()
        const timer = setInterval(() => app.publish('lobby', { text: 'tick' }), 1000)
        return () => clearInterval(timer)
      })
      .onStart(async ({ publish }) => publish('lobby', { text: 'here we are' }))
      // @ts-expect-error -- what it gives is called at the end
      .onStart(() => setInterval(() => {}, 1000))
      .on('GET /api/last', () => 1)
    expectTypeOf<keyof (typeof _router)['~routes']>().toEqualTypeOf<'/ws/chat' | 'GET /api/last'>()
  })
})
