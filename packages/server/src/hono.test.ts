import { basicAuth } from 'hono/basic-auth'
import { etag } from 'hono/etag'
import type { MiddlewareHandler } from 'hono'
import { describe, expect, it } from 'vitest'
import { ApiError, createApp, createRouter, hono, serve, type Log } from './index.ts'

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} }
const readsBody: MiddlewareHandler = async (c, next) => {
  const body = await c.req.text()
  await next()
  c.header('x-body-length', String(body.length))
}

const router = createRouter()
  .use('/api/secret', hono(basicAuth({ username: 'ada', password: 'lovelace' })))
  .use('/api/tagged', hono(etag()))
  .use('/api/read', hono(readsBody))
  .use('/api/fails', hono(readsBody))
  .on('GET /api/secret', () => 'open')
  .on('GET /api/tagged', () => ({ same: true }))
  .on('POST /api/read', (_ctx, input) => input)
  .on('POST /api/fails', () => {
    throw new ApiError('CONFLICT', 'taken')
  })
  .on('GET /api/free', () => 'free')
const app = createApp({ log: silent, router })

const adapters: [string, () => Promise<{ url: string; send: typeof fetch; close(): Promise<void> }>][] = [
  [
    'app.fetch',
    () =>
      Promise.resolve({
        url: 'http://localhost',
        send: (input, init) => app.fetch(new Request(input as string, init)),
        close: () => Promise.resolve(),
      }),
  ],
  [
    'serve',
    async () => {
      const server = await serve(app, { port: 0, signals: false })
      return { url: server.url, send: fetch, close: () => server.close() }
    },
  ],
]

describe.each(adapters)('hono through %s', (_adapter, open) => {
  it('lets Hono middleware respond, change the response, read the body and call next', async () => {
    const { url, send, close } = await open()
    const refused = await send(`${url}/api/secret`)
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Basic realm="Secure Area"'])
    const allowed = await send(`${url}/api/secret`, { headers: { authorization: `Basic ${btoa('ada:lovelace')}` } })
    expect([allowed.status, await allowed.json()]).toEqual([200, 'open'])

    const tag = (await send(`${url}/api/tagged`)).headers.get('etag') ?? ''
    expect(tag).not.toBe('')
    expect((await send(`${url}/api/tagged`, { headers: { 'if-none-match': tag } })).status).toBe(304)

    const json = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json' } }
    const read = await send(`${url}/api/read`, json)
    expect([await read.json(), read.headers.get('x-body-length')]).toEqual([{ a: 1 }, '7'])
    expect(read.headers.get('x-request-id')).not.toBeNull()

    const failed = await send(`${url}/api/fails`, json)
    expect([failed.status, await failed.json()]).toMatchObject([409, { error: { code: 'CONFLICT' } }])
    expect(await (await send(`${url}/api/free`)).json()).toBe('free')
    await close()
  })

  it('throws if the argument is not a middleware', () => {
    expect(() => hono(undefined as never)).toThrow('hono(compress())')
  })
})
