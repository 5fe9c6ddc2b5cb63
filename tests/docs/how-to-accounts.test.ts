import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAuthClient } from '@sdk/auth/client'
import type { Database } from '@sdk/database'
import { createApp, createLog, type App, type Router } from '@sdk/server'
import { testApp } from '@sdk/server/testing'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { readPage } from './check/page.ts'
import { writePage } from './write-page.ts'

afterAll(() => void vi.unstubAllEnvs())

const ORIGIN = 'http://app.test'
const ADA = { name: 'Ada', email: 'ada@example.com', password: 'a long password' }

const load = async <T>(path: string, file: string): Promise<T> =>
  (await import(/* @vite-ignore */ pathToFileURL(join(path, file)).href)) as T

async function openPage(page: string): Promise<{ app: App; path: string }> {
  const { path } = await writePage(page)
  vi.stubEnv('DATABASE_URL', await emptyDatabase())
  const { default: router } = await load<{ default: Router }>(path, 'src/api/index.ts')
  const app = createApp({ router, log: createLog({ level: 'silent' }) })
  await app.fetch(new Request(`${ORIGIN}/api/auth/get-session`)) // waits until the database is there
  return { app, path }
}

/** Keeps cookies as a browser does. */
function createBrowser(app: App): typeof fetch {
  const cookies = new Map<string, string>()
  return async (input, init) => {
    const request = new Request(input, init)
    request.headers.set('host', 'app.test')
    request.headers.set('origin', ORIGIN)
    request.headers.set('cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '))
    const response = await app.fetch(request)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
}

describe('docs/how-to/social-login.md', () => {
  let issuer: HttpServer
  let app: App
  let email = 'ada@example.com'
  beforeAll(async () => {
    issuer = createServer((request, response) => {
      const isToken = request.url === '/token'
      const profile = { sub: email, email, name: 'Ada', email_verified: true }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(isToken ? { access_token: 'token', token_type: 'Bearer' } : profile))
    }).listen(0, '127.0.0.1')
    await once(issuer, 'listening')
    vi.stubEnv('COMPANY_ISSUER', `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`)
    for (const name of ['GOOGLE', 'GITHUB', 'COMPANY'])
      vi.stubEnv(`${name}_CLIENT_ID`, name).stubEnv(`${name}_CLIENT_SECRET`, 'shh')
    ;({ app } = await openPage('docs/how-to/social-login.md'))
  })
  afterAll(async () => {
    issuer.close()
    await app?.close()
  })

  it('redirects to Google and GitHub with the documented redirect URI', async () => {
    const client = createAuthClient({ baseUrl: ORIGIN, fetch: createBrowser(app) })
    const lead = async (provider: string): Promise<URL> => {
      const pages = { callbackURL: '/', errorCallbackURL: '/sign-in' }
      return new URL(((await client.request('POST /sign-in/social', { provider, ...pages })) as { url: string }).url)
    }
    const google = await lead('google')
    expect([google.host, google.searchParams.get('client_id')]).toEqual(['accounts.google.com', 'GOOGLE'])
    expect(google.searchParams.get('redirect_uri')).toBe(`${ORIGIN}/api/auth/callback/google`)
    expect((await lead('github')).searchParams.get('redirect_uri')).toBe(`${ORIGIN}/api/auth/callback/github`)
    await expect(lead('gitlab')).rejects.toMatchObject({ status: 404, code: 'PROVIDER_NOT_FOUND' })
    const foreign = client.request('POST /sign-in/social', { provider: 'google', callbackURL: 'https://evil.example' })
    await expect(foreign).rejects.toMatchObject({ status: 403 })
  })

  it('signs in with a custom provider and does not link accounts by email address', async () => {
    const comeBack = async (browser: typeof fetch, query: object = {}): Promise<string | null> => {
      const client = createAuthClient({ baseUrl: ORIGIN, fetch: browser })
      const pages = { callbackURL: '/', errorCallbackURL: '/sign-in' }
      const { url } = (await client.request('POST /sign-in/social', { provider: 'company', ...pages })) as {
        url: string
      }
      const state = new URL(url).searchParams.get('state') ?? ''
      const search = new URLSearchParams({ state, code: 'c', ...query })
      const callback = `${ORIGIN}/api/auth/callback/company?${search.toString()}`
      return (await browser(callback, { redirect: 'manual' })).headers.get('location')
    }
    const ada = createBrowser(app)
    expect(await comeBack(ada)).toBe('/')
    const client = createAuthClient({ baseUrl: ORIGIN, fetch: ada })
    await client.token()
    expect(client.snapshot().user).toMatchObject({ email, emailVerified: true })
    email = 'alan@example.com'
    const alan = createBrowser(app)
    await createAuthClient({ baseUrl: ORIGIN, fetch: alan }).signUp({ ...ADA, email })
    expect(await comeBack(createBrowser(app))).toBe('/sign-in?error=account_not_linked')
    expect(await comeBack(createBrowser(app), { error: 'access_denied' })).toBe('/sign-in?error=access_denied')
  })
})

describe('docs/how-to/two-factor.md', () => {
  it('requires a code after the password', async () => {
    const { app, path } = await openPage('docs/how-to/two-factor.md')
    const client = createAuthClient({ baseUrl: ORIGIN, fetch: createBrowser(app) })
    await client.signUp(ADA)
    const setup = (await client.request('POST /two-factor/enable', { password: ADA.password })) as {
      totpURI: string
      backupCodes: string[]
    }
    expect(setup.backupCodes).toHaveLength(10)
    await client.change('POST /two-factor/verify-totp', { code: totp(setup.totpURI) })
    expect(client.snapshot().user).toMatchObject({ twoFactorEnabled: true })

    const next = createAuthClient({ baseUrl: ORIGIN, fetch: createBrowser(app) })
    await next.signIn(ADA)
    expect(next.snapshot().user).toBeNull()
    await expect(next.change('POST /two-factor/verify-totp', { code: '000000' })).rejects.toMatchObject({ status: 401 })
    await next.change('POST /two-factor/verify-totp', { code: totp(setup.totpURI), trustDevice: true })
    expect(next.snapshot().user).toMatchObject({ email: ADA.email })
    await next.signOut()
    await next.signIn(ADA)
    expect(next.snapshot().user).toMatchObject({ email: ADA.email })

    const { database } = await load<{ database: Database }>(path, 'src/database.ts')
    const sql = readPage('docs/how-to/two-factor.md').blocks.find(({ language }) => language === 'sql')?.text ?? ''
    for (const statement of sql.split(';').filter((text) => text.trim() !== '')) await database.query(statement)
    const lost = createAuthClient({ baseUrl: ORIGIN, fetch: createBrowser(app) })
    await lost.signIn(ADA)
    expect(lost.snapshot().user).toMatchObject({ email: ADA.email, twoFactorEnabled: false })
    await app.close()
  })
})

describe('docs/how-to/roles.md', () => {
  it('allows only admins to read all rows and users', async () => {
    const { path } = await writePage('docs/how-to/roles.md', { step: 1 })
    vi.stubEnv('DATABASE_URL', await emptyDatabase())
    const app = await testApp(path)
    await app.call('POST /api/auth/sign-up/email', { ...ADA, role: 'admin' }).catch(() => {})
    await app.call('POST /api/auth/sign-up/email', { ...ADA, email: 'alan@example.com' })
    const ada = app.as({ name: 'Ada', role: 'admin' })
    const users = (await ada.call('GET /api/admin/users')) as { id: string; role: string }[]
    expect(users.every(({ role }) => role === 'member')).toBe(true)
    const id = users[0]?.id ?? ''
    const change = { params: { id } }
    expect(await ada.call('POST /api/admin/users/:id/role', { role: 'admin' }, change)).toMatchObject({ role: 'admin' })
    const alan = app.as({ name: 'Alan', role: 'member' })
    await expect(alan.call('GET /api/admin/users')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(app.call('GET /api/admin/users')).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
    await alan.call('POST /api/v1/notes', { text: 'Tea' })
    expect(await ada.call('GET /api/v1/notes')).toMatchObject({ data: [{ text: 'Tea' }] })
    expect(await app.as({ name: 'Grace' }).call('GET /api/v1/notes')).toMatchObject({ data: [] })
    await app.close()
  })
})

/** The code that an authenticator app shows (RFC 6238). */
function totp(uri: string): string {
  const letters = (new URL(uri).searchParams.get('secret') ?? '').replaceAll('=', '').split('')
  const bits = letters.map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
  const bytes = bits.join('').match(/.{8}/g) ?? []
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const key = Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
