import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createApp, createLog, createRouter, type App, type Router } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('docs/guide/routes.md', () => {
  let app: App
  beforeAll(async () => {
    process.env['REPORTS_KEY'] = 'sesame'
    process.env['STRIPE_SECRET'] = 'shh'
    const { path } = await writePage('docs/guide/routes.md')
    const load = async (file: string): Promise<Record<string, Router>> =>
      (await import(/* @vite-ignore */ pathToFileURL(join(path, file)).href)) as Record<string, Router>
    const { default: api = createRouter() } = await load('src/api/index.ts')
    const { files = createRouter() } = await load('src/api/files.ts')
    const { payments = createRouter() } = await load('src/api/payments.ts')
    const { weather = createRouter() } = await load('src/api/weather.ts')
    const router = api.mount('/api/files', files).mount('/api/payments', payments).mount('/api/weather', weather)
    app = createApp({ router, log: createLog({ level: 'silent' }) })
  })
  afterAll(async () => {
    delete process.env['REPORTS_KEY']
    delete process.env['STRIPE_SECRET']
    await app?.close()
  })

  const key = { 'x-key': 'sesame' }
  const json = { ...key, 'content-type': 'application/json' }
  const request = (path: string, init: RequestInit = {}): Promise<Response> =>
    app.fetch(new Request(`http://localhost${path}`, init))
  const read = async (path: string, init?: RequestInit): Promise<unknown> => (await request(path, init)).json()

  it('parses parameters and query by their schemas', async () => {
    expect(await read('/api/reports/2025?currency=USD', { headers: key })).toEqual({
      year: 2025,
      total: 12.5,
      currency: 'USD',
    })
    expect(await read('/api/reports/2025', { headers: key })).toMatchObject({ currency: 'EUR' })
    expect(await read('/api/reports/7?currency=X', { headers: key })).toMatchObject({
      error: { code: 'INVALID_REQUEST', details: [{ source: 'path' }, { source: 'query' }] },
    })
  })

  it('rejects a request in middleware and adds a header with Hono middleware', async () => {
    expect(await read('/api/reports/2025')).toMatchObject({ error: { code: 'FORBIDDEN' } })
    const { headers } = await request('/api/reports/2025', { headers: key })
    expect(headers.get('server-timing')).toContain('total')
  })

  it('caches a response and sets Cache-Control', async () => {
    const first = await request('/api/weather/london')
    expect(first.headers.get('cache-control')).toBe('public, max-age=60')
    expect(first.headers.get('vary')).toContain('Cookie')
    const weather = (await first.json()) as object
    expect(weather).toMatchObject({ sky: 'rain' })
    expect(await read('/api/weather/london')).toEqual(weather)
    expect(await read('/api/weather/paris')).toMatchObject({ sky: 'sun' })
  })

  it('returns 401 for guests if the handler requires a user', async () => {
    const init = { method: 'POST', headers: json, body: '{"year":2025}' }
    expect(await read('/api/reports', init)).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
  })

  it('responds to HEAD, and to unsupported methods with 405 and Allow', async () => {
    expect((await request('/api/status', { method: 'HEAD' })).status).toBe(200)
    const refused = await request('/api/status', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('sends raw text and redirects, and accepts uploads', async () => {
    const csv = await request('/api/files/report.csv')
    expect([csv.headers.get('content-type'), await csv.text()]).toEqual(['text/csv', 'year,total\n2025,12.5\n'])
    expect((await request('/api/files/old')).headers.get('location')).toBe('https://example.com/new')
    const body = new FormData()
    body.set('photo', new File(['abc'], 'tea.png'))
    expect(await read('/api/files/photo', { method: 'POST', body })).toEqual({ bytes: 3 })
    const large = new FormData()
    large.set('photo', new File([new Uint8Array(5_000_001)], 'tea.png'))
    expect((await request('/api/files/photo', { method: 'POST', body: large })).status).toBe(413)
  })

  it('verifies the signature of the raw body of a webhook', async () => {
    const body = '{ "id": "evt_1",\t"type": "paid", "type": "paid", "half": "\\ud83d" }\n' // not normalized JSON
    const sign = (secret: string, time: number, signed = body): string =>
      `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${signed}`).digest('hex')}`
    const now = Math.floor(Date.now() / 1000)
    const send = async (signature: string, sent = body): Promise<number> => {
      const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature }
      return (await request('/api/payments/paid', { method: 'POST', body: sent, headers })).status
    }
    expect(await send(sign('shh', now))).toBe(200)
    const refused = [sign('guessed', now), sign('', now), sign('shh', now - 400), `t=${now}`, 't=x,v1=zz', 'a', '']
    for (const signature of refused) expect([signature, await send(signature)]).toEqual([signature, 401])
    expect(await send(sign('shh', now), body.replace('evt_1', 'evt_2'))).toBe(401)
    expect(await send(sign('shh', now), 'x'.repeat(1_000_001))).toBe(413)
    const other = '{"id":7,"type":"paid"}'
    expect(await send(sign('shh', now, other), other)).toBe(400)
  })

  it('reuses a request id of the client if it is long enough', async () => {
    const idOf = async (id: string): Promise<string | null> =>
      (await request('/api/status', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    expect(await idOf('mine-12345')).toBe('mine-12345')
    expect(await idOf('mine')).not.toBe('mine')
  })
})
