import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createApp, createLog, createRouter, type App, type Router } from '@sdk/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { writePage } from './write-page.ts'

describe('the page of routes', () => {
  let app: App
  beforeAll(async () => {
    process.env['REPORTS_KEY'] = 'sesame'
    const { path } = await writePage('docs/guide/routes.md')
    const load = async (file: string): Promise<Record<string, Router>> =>
      (await import(/* @vite-ignore */ pathToFileURL(join(path, file)).href)) as Record<string, Router>
    const [{ default: api = createRouter() }, { files = createRouter() }] = await Promise.all([
      load('src/api/index.ts'),
      load('src/api/files.ts'),
    ])
    app = createApp({ router: api.mount('/api/files', files), log: createLog({ level: 'silent' }) })
  })
  afterAll(async () => {
    delete process.env['REPORTS_KEY']
    await app?.close()
  })

  const key = { 'x-key': 'sesame' }
  const json = { ...key, 'content-type': 'application/json' }
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    app.fetch(new Request(`http://localhost${path}`, init))
  const read = async (path: string, init?: RequestInit): Promise<unknown> => (await ask(path, init)).json()

  it('answers by parameters and query, each as its schema makes it', async () => {
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

  it('lets middleware refuse, and Hono add a header', async () => {
    expect(await read('/api/reports/2025')).toMatchObject({ error: { code: 'FORBIDDEN' } })
    const { headers } = await ask('/api/reports/2025', { headers: key })
    expect(headers.get('server-timing')).toContain('total')
  })

  it('is 401 for guests where the handler says so', async () => {
    const init = { method: 'POST', headers: json, body: '{"year":2025}' }
    expect(await read('/api/reports', init)).toMatchObject({ error: { code: 'UNAUTHORIZED' } })
  })

  it('answers HEAD too, and 405 with Allow', async () => {
    expect((await ask('/api/status', { method: 'HEAD' })).status).toBe(200)
    const refused = await ask('/api/status', { method: 'DELETE' })
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('sends raw text and redirects, takes uploads and raw bodies', async () => {
    const csv = await ask('/api/files/report.csv')
    expect([csv.headers.get('content-type'), await csv.text()]).toEqual(['text/csv', 'year,total\n2025,12.5\n'])
    expect((await ask('/api/files/old')).headers.get('location')).toBe('https://example.com/new')
    const body = new FormData()
    body.set('photo', new File(['abc'], 'tea.png'))
    expect(await read('/api/files/photo', { method: 'POST', body })).toEqual({ bytes: 3 })
    const large = new FormData()
    large.set('photo', new File([new Uint8Array(5_000_001)], 'tea.png'))
    expect((await ask('/api/files/photo', { method: 'POST', body: large })).status).toBe(413)
    const raw = { method: 'POST', body: '{"a": 1}', headers: { 'content-type': 'application/json' } }
    expect(await read('/api/files/hook', raw)).toEqual({ length: 8 })
  })

  it('takes the request id of who sends one of 8 to 128 characters', async () => {
    const idOf = async (id: string): Promise<string | null> =>
      (await ask('/api/status', { headers: { 'x-request-id': id } })).headers.get('x-request-id')
    expect(await idOf('mine-12345')).toBe('mine-12345')
    expect(await idOf('mine')).not.toBe('mine')
  })
})
