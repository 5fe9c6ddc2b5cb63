import { describe, expect, it } from 'vitest'
import { createApp, createRouter, type Log } from '../index.ts'

const ignore = (): void => {}
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }

describe('mount', () => {
  const inner = createRouter()
    .on('GET /', () => 'home')
    .on('GET /a', () => 'a')
    .use('/*', (_ctx, next) => next())

  it.each([
    ['/', () => createApp({ router: createRouter().mount('/', inner), log }), ['GET /', 'GET /a']],
    ['/api', () => createApp({ router: createRouter().mount('/api', inner), log }), ['GET /api', 'GET /api/a']],
    [
      '/ inside /api',
      () => createApp({ router: createRouter().mount('/api', createRouter().mount('/', inner)), log }),
      ['GET /api', 'GET /api/a'],
    ],
  ])('joins paths with one slash: %s', async (_prefix, create, routes) => {
    const app = create()
    expect(app.routes.map(({ route }) => route)).toEqual(routes)
    for (const route of routes) {
      const response = await app.fetch(new Request(`http://localhost${route.slice('GET '.length)}`))
      expect([route, response.status]).toEqual([route, 200])
    }
  })
})

describe('status', () => {
  const router = createRouter()
    .on('POST /api/jobs', { status: 202, handler: () => ({ id: 1 }) })
    .on('DELETE /api/jobs', { status: 204, handler: () => undefined })
    .on('GET /api/jobs', { status: 202, handler: () => new Response('own', { status: 299 }) })
    .on('GET /api/text', { status: 203, content: 'text/plain', handler: () => 'text' })
  const app = createApp({ router, log })
  const send = (route: string): Promise<Response> => {
    const [method = '', path = ''] = route.split(' ')
    return app.fetch(new Request(`http://localhost${path}`, { method }))
  }

  it('is the status of a successful response', async () => {
    const job = await send('POST /api/jobs')
    expect([job.status, await job.json()]).toEqual([202, { id: 1 }])
    const text = await send('GET /api/text')
    expect([text.status, await text.text()]).toEqual([203, 'text'])
  })

  it('omits the body and the content type if it is 204', async () => {
    const done = await send('DELETE /api/jobs')
    expect([done.status, await done.text(), done.headers.get('content-type')]).toEqual([204, '', null])
  })

  it('is ignored if the handler returns a Response', async () => {
    expect((await send('GET /api/jobs')).status).toBe(299)
  })

  it('must be between 200 and 399', () => {
    for (const status of [100, 199, 400, 500, 200.5, Number.NaN])
      expect(() => createRouter().on('GET /api/x', { status, handler: () => 1 })).toThrow(
        `GET /api/x: status must be an integer from 200 to 399, got ${status}`,
      )
  })
})
