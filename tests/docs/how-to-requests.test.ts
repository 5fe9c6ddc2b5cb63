import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Database } from '@sdk/database'
import { createApp, createLog, createRouter, type App, type Router } from '@sdk/server'
import { testApp, type TestApp } from '@sdk/server/testing'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { writePage } from './write-page.ts'

/** A service that records its requests and responds with the given statuses, then with 200. */
const received: { headers: IncomingHttpHeaders; body: string }[] = []
const statuses: number[] = []
let service: HttpServer
let serviceUrl = ''
beforeAll(async () => {
  service = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: Buffer.concat(await request.toArray()).toString() })
    response.writeHead(statuses.shift() ?? 200).end()
  }).listen(0, '127.0.0.1')
  await once(service, 'listening')
  serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}/`
})
afterAll(() => {
  service.close()
  vi.unstubAllEnvs()
})

const load = async <T>(path: string, file: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(path, file)).href)) as T
const log = createLog({ level: 'silent' })

describe('docs/how-to/cookies-csrf-cors.md', () => {
  let app: App
  beforeAll(async () => {
    const { path } = await writePage('docs/how-to/cookies-csrf-cors.md')
    const { theme } = await load<{ theme: Router }>(path, 'src/api/theme.ts')
    const { openData } = await load<{ openData: Router }>(path, 'src/api/open-data.ts')
    const { default: config } = await load<{ default: { cors: string[] } }>(path, 'sdk.config.ts')
    const router = createRouter().mount('/api/theme', theme).mount('/api/open-data', openData)
    app = createApp({ router, log, ...config })
  })
  afterAll(() => app?.close())

  const send = (path: string, init: RequestInit = {}): Promise<Response> =>
    app.fetch(new Request(`https://app.example.com${path}`, init))

  it('sets a cookie and reads it', async () => {
    const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{"theme":"dark"}' }
    const [line = ''] = (await send('/api/theme', init)).headers.getSetCookie()
    expect(line).toMatch(/^theme=dark; Path=\/; Max-Age=31536000; SameSite=Lax; Secure$/)
    const shown = await send('/api/theme', { headers: { cookie: 'a=1; theme=dark' } })
    expect(await shown.json()).toEqual({ theme: 'dark' })
  })

  it('allows listed origins, and all origins for open data', async () => {
    const allowed = async (path: string, origin: string): Promise<string | null> =>
      (await send(path, { headers: { origin } })).headers.get('access-control-allow-origin')
    expect(await allowed('/api/theme', 'https://admin.example.com')).toBe('https://admin.example.com')
    expect(await allowed('/api/theme', 'https://evil.example')).toBeNull()
    expect(await allowed('/api/open-data/prices', 'https://evil.example')).toBe('*')
    expect(() => createApp({ router: createRouter(), log, cors: ['*'] })).toThrow(/exact origins/)
  })
})

describe('docs/how-to/email.md', () => {
  it('sends mail through the service', async () => {
    vi.stubEnv('MAIL_URL', serviceUrl)
    const { path } = await writePage('docs/how-to/email.md')
    const { feedback } = await load<{ feedback: Router }>(path, 'src/api/feedback.ts')
    const app = await testApp(createApp({ router: createRouter().mount('/api/feedback', feedback), log }))
    const response = await app.as({ name: 'Ada', email: 'ada@example.com' }).send('POST /api/feedback', { text: 'Tea' })
    expect(response.status).toBe(202)
    await app.close() // waits for the mail
    expect(JSON.parse(received.shift()?.body ?? '')).toMatchObject({
      to: 'team@example.com',
      text: 'ada@example.com writes:\n\nTea',
    })
  })
})

describe('docs/how-to/webhooks.md', () => {
  const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`
  let app: TestApp
  let path: string
  beforeAll(async () => {
    vi.stubEnv('BILLING_SECRET', secret)
      .stubEnv('WEBHOOK_SECRET', secret)
      .stubEnv('DATABASE_URL', await emptyDatabase())
    ;({ path } = await writePage('docs/how-to/webhooks.md'))
    app = await testApp(path)
  })
  afterAll(() => app?.close())

  it('retries an event with the same id until it is delivered, and rejects invalid signatures', async () => {
    const { queueEvent } = await load<{ queueEvent: (url: string, event: object) => Promise<void> }>(
      path,
      'src/api/deliveries.ts',
    )
    const { deliverDue } = await load<{ deliverDue: (app: TestApp) => Promise<void> }>(path, 'src/deliver.ts')
    const { database } = await load<{ database: Database }>(path, 'src/database.ts')
    statuses.push(500)
    await queueEvent(serviceUrl, { type: 'invoice.paid', data: { id: 7 } })
    // The timer of the page may send it too, so attempts are not counted exactly.
    await expect
      .poll(async () => {
        await database.query("update deliveries set next_at = now() where error = 'status 500'")
        await deliverDue(app)
        return database.query('select 1 from deliveries where delivered_at is not null and attempts > 1')
      })
      .toHaveLength(1)
    const sent = received.splice(0)
    const second = sent[1]
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1)

    const take = async (change: object = {}, body = second?.body ?? ''): Promise<number> => {
      const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const
      const headers = Object.fromEntries(names.map((name) => [name, String(second?.headers[name])]))
      const blob = new Blob([body], { type: 'application/json' })
      return (await app.send('POST /api/hooks/billing', blob, { headers: { ...headers, ...change } })).status
    }
    expect(await take()).toBe(200)
    expect(await take()).toBe(200)
    expect(await take({}, `${second?.body} `)).toBe(401)
    expect(await take({ 'webhook-timestamp': '1763265600' })).toBe(401)
    expect(await take({ 'webhook-signature': 'v1,AAAA' })).toBe(401)
  })
})
