import { type Database, openDatabase } from '@sdk/database'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Browser, createBrowser, createTestApp, ORIGIN, readJson, SECRET } from './auth-app.test.fixture.ts'
import { type AuthClient, type AuthClientOptions, createAuthClient } from './client.ts'
import { type Auth, type AuthMail, createAuth } from './index.ts'

const ELSEWHERE = 'https://pages.test'
const mails: AuthMail[] = []
const clients: AuthClient[] = []
let database: Database
let app: ReturnType<typeof createTestApp>
let browser: Browser
let account: { name: string; email: string; password: string }
let accounts = 0

beforeAll(async () => {
  database = openDatabase(await emptyDatabase())
  await createServer().ready()
})
afterAll(() => database.close())

/** Creates an auth instance that has not counted any attempts. */
function createServer(): Auth {
  const email = { send: (mail: AuthMail) => void mails.push(mail) }
  return createAuth({ database, secret: SECRET, email, bearer: true, trustedOrigins: [ELSEWHERE] })
}

beforeEach(() => {
  app = createTestApp(createServer())
  browser = createBrowser(app)
  account = { name: 'Ada', email: `ada-${++accounts}@example.com`, password: 'correct horse' }
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})

/** Opens a tab of the browser. */
function openTab(options: AuthClientOptions = {}): AuthClient {
  const client = createAuthClient({ baseUrl: ORIGIN, fetch: browser.fetch, ...options })
  client.subscribe(() => {})
  clients.push(client)
  return client
}

async function statusOf(token: string | null): Promise<number> {
  const headers = { authorization: `Bearer ${token}` }
  return (await app.fetch(new Request(`${ORIGIN}/api/me`, { headers }))).status
}

describe('createAuthClient', () => {
  it('shares sign-in and sign-out between tabs', async () => {
    const [first, second] = [openTab(), openTab()]
    await Promise.all([first.token(), second.token()])
    await first.signUp(account)
    await expect.poll(() => second.snapshot().user).toEqual(first.snapshot().user)
    const tokens = [await first.token(), await second.token()]
    expect(await Promise.all(tokens.map(statusOf))).toEqual([200, 200])
    await second.signOut()
    await expect.poll(() => first.snapshot()).toMatchObject({ user: null, token: null, error: null })
    expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401])
  })

  it('signs in a script that does not store cookies', async () => {
    const script = createAuthClient({ baseUrl: ORIGIN, fetch: (input, init) => app.fetch(new Request(input, init)) })
    clients.push(script)
    await script.signUp(account)
    const token = await script.token()
    expect(await statusOf(token)).toBe(200)
    await script.signOut()
    expect([await script.token(), await statusOf(token)]).toEqual([null, 401])
  })

  it('resets the password with the token of an email', async () => {
    const client = openTab()
    await client.signUp(account)
    await client.signOut()
    await client.requestPasswordReset({ email: account.email })
    await expect.poll(() => mails.at(-1)).toMatchObject({ kind: 'reset-password', to: account.email })
    const token = mails.at(-1)?.token ?? ''
    await client.resetPassword({ token, newPassword: 'battery staple' })
    await expect(client.resetPassword({ token, newPassword: 'once more' })).rejects.toMatchObject({ status: 400 })
    await expect(client.signIn(account)).rejects.toMatchObject({ code: 'INVALID_EMAIL_OR_PASSWORD', status: 401 })
    await client.signIn({ ...account, password: 'battery staple' })
    expect(client.snapshot()).toMatchObject({ user: { email: account.email }, error: null })
  })

  it('sends a verification email', async () => {
    const client = openTab()
    await client.signUp(account)
    await client.sendVerificationEmail({ email: account.email })
    await expect.poll(() => mails.at(-1)).toMatchObject({ kind: 'verify-email', to: account.email })
  })

  it('stays signed in after a password change, which revokes old tokens', async () => {
    const client = openTab()
    await client.signUp(account)
    const old = await client.token()
    const wrong = client.changePassword({ currentPassword: 'wrong', newPassword: 'battery staple' })
    await expect(wrong).rejects.toMatchObject({ status: 400 })
    expect(client.snapshot()).toMatchObject({ user: { email: account.email } })
    const change = { currentPassword: account.password, newPassword: 'battery staple' }
    await client.changePassword(change)
    expect(client.snapshot()).toMatchObject({ user: { email: account.email }, error: null })
    expect([await statusOf(await client.token()), await statusOf(old)]).toEqual([200, 401])
  })

  it('lists and revokes the sessions of a user, including its own', async () => {
    const client = openTab()
    await client.signUp(account)
    const other = createAuthClient({ baseUrl: ORIGIN, fetch: createBrowser(app).fetch })
    await other.signIn(account)
    const sessions = await client.sessions()
    expect(sessions).toHaveLength(2)
    expect(JSON.stringify(sessions)).not.toContain('"token"')
    const own = (await readJson(await browser.get('/api/auth/get-session')))['session'] as { id: string }
    const theirs = sessions.find(({ id }) => id !== own.id)?.id ?? ''
    await client.revokeSession(theirs)
    expect(await other.token({ force: true })).toBeNull()
    expect(client.snapshot().user).not.toBeNull()
    await client.revokeSession(own.id)
    expect(client.snapshot()).toMatchObject({ user: null, token: null, error: null })
    other.close()
  })

  it('signs out if the session has ended on the server', async () => {
    const client = openTab()
    await client.signUp(account)
    await browser.post('/api/auth/sign-out', {})
    expect(await statusOf(client.snapshot().token)).toBe(401)
    expect(await client.token({ force: true })).toBeNull()
    expect(client.snapshot()).toMatchObject({ user: null, token: null, error: null })
  })
})

describe('createAuthClient on a page of another site', () => {
  /** A browser that blocks the cookies of other sites. */
  const foreign: typeof fetch = (input, init) => {
    const request = new Request(input, init)
    request.headers.set('origin', ELSEWHERE)
    request.headers.set('host', 'app.test')
    request.headers.set('sec-fetch-site', 'cross-site')
    return Promise.resolve(app.fetch(request))
  }

  it('signs in and out with the session token from the server', async () => {
    const client = openTab({ fetch: foreign })
    expect(await client.token()).toBeNull()
    await client.signUp(account)
    const token = await client.token()
    expect(client.snapshot()).toMatchObject({ user: { email: account.email }, error: null })
    expect(await statusOf(token)).toBe(200)
    expect(await client.token({ force: true })).not.toBeNull()
    await client.signOut()
    expect(client.snapshot()).toMatchObject({ user: null, token: null, error: null })
    expect(await statusOf(token)).toBe(401)
    await client.signIn(account)
    expect(client.snapshot()).toMatchObject({ user: { email: account.email } })
  })

  it('does not share the session with another tab', async () => {
    const [first, second] = [openTab({ fetch: foreign }), openTab({ fetch: foreign })]
    await first.signUp(account)
    expect(await second.token()).toBeNull()
    expect(second.snapshot()).toMatchObject({ user: null, error: null })
    expect(first.snapshot().user).not.toBeNull()
  })
})
