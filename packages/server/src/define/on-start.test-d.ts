import { describe, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { createApp, type App } from '../app/app.ts'
import { createRouter } from './router.ts'
import type { MessageOf, AppHandle } from './on-start.ts'
import { createSocket } from './socket.ts'

const chat = createSocket({ send: z.object({ text: z.string() }) })
const board = createSocket({ send: z.object({ draw: z.coerce.number<string>() }) })

describe('app.publish', () => {
  it('accepts the schema outputs of the sockets of the app', () => {
    const app = createApp({ router: createRouter().socket('/ws/chat', chat).socket('/ws/board', board) })
    void app.publish('lobby', { text: 'hello' })
    void app.publish('lobby', { draw: 7 })
    // @ts-expect-error -- no socket sends this message
    void app.publish('lobby', { texts: 'hello' })
    expectTypeOf(app).toExtend<App>()
    expectTypeOf(app).toExtend<AppHandle>()
  })

  it('accepts any message if no socket has a send schema', () => {
    expectTypeOf<MessageOf<{}>>().toBeUnknown()
    expectTypeOf<MessageOf<unknown>>().toBeUnknown()
    void createApp().publish('lobby', 7)
    void createApp({ router: createRouter().socket('/ws/chat', createSocket({})) }).publish('lobby', 7)
  })
})

describe('onStart', () => {
  it('is typed by the sockets defined before it and can be chained', () => {
    const _router = createRouter()
      .socket('/ws/chat', chat)
      .onStart((app) => {
        expectTypeOf(app).toEqualTypeOf<AppHandle<{ text: string }>>()
        const timer = setInterval(() => app.publish('lobby', { text: 'tick' }), 1000)
        return () => clearInterval(timer)
      })
      .onStart(async ({ publish }) => publish('lobby', { text: 'here we are' }))
      // @ts-expect-error -- it must return a cleanup function
      .onStart(() => setInterval(() => {}, 1000))
      .on('GET /api/last', () => 1)
    expectTypeOf<keyof (typeof _router)['~routes']>().toEqualTypeOf<'/ws/chat' | 'GET /api/last'>()
  })
})
