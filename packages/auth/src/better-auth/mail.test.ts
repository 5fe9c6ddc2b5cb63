import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { type Database, openDatabase } from '@sdk/database'
import type { Log, LogFields } from '@sdk/server'
import { emptyDatabase } from '@sdk/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADA, createBrowser, createTestApp, ORIGIN, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { type Auth, type AuthEmailOptions, type AuthMail, createAuth } from '../index.ts'
import { createMailQueue, warnWithoutMail } from './mail-queue.ts'

const NEW_PASSWORD = 'battery staple'

describe('createAuth with email', () => {
  let database: Database
  let mails: AuthMail[]
  beforeAll(async () => {
    database = openDatabase(await emptyDatabase())
  })
  beforeEach(async () => {
    mails = []
    await createAuth({ database, secret: SECRET }).ready()
    await database.query('truncate "user" cascade')
  })
  afterAll(() => database.close())

  const send = (mail: AuthMail): void => void mails.push(mail)
  const start = (email?: AuthEmailOptions): { auth: Auth; app: ReturnType<typeof createTestApp> } => {
    const auth = createAuth({ database, secret: SECRET, throttle: false, email })
    return { auth, app: createTestApp(auth) }
  }
  /** Returns the mail that was sent; throws unless there is exactly one. */
  const theMail = (): AuthMail => {
    const [mail] = mails
    if (!mail || mails.length > 1) throw new Error(`${mails.length} mails`)
    return mail
  }

  it('sends pending emails before the last app closes', async () => {
    const arrived: string[] = []
    let deliver = (): void => {}
    const isSlow = new Promise<void>((resolve) => {
      deliver = resolve
    })
    const { auth, app } = start({ send: ({ to }) => isSlow.then(() => void arrived.push(to)) })
    const successor = createTestApp(auth)
    await createBrowser(app).post('/api/auth/sign-up/email', ADA)
    await createBrowser(app).post('/api/auth/request-password-reset', { email: ADA.email })
    // Another app is still open in this process, as after a reload, so close does not wait for emails.
    await app.close()
    expect(arrived).toEqual([])

    const closed = successor.close().then(() => arrived.push('closed'))
    deliver()
    await closed
    await auth.close()
    expect(arrived).toEqual([ADA.email, 'closed'])
  })

  it('lets a user reset the password once and ends every session', async () => {
    const { auth, app } = start({ send })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    expect(mails).toEqual([])
    const requested = await createBrowser(app).post('/api/auth/request-password-reset', { email: ADA.email })
    expect(requested.status).toBe(200)
    await auth.close()

    const mail = theMail()
    expect(mail).toMatchObject({
      kind: 'reset-password',
      to: ADA.email,
      user: { name: 'Ada', email: ADA.email },
      subject: 'Reset your password',
    })
    expect(Object.keys(mail.user).toSorted()).toEqual(['email', 'id', 'name'])
    expect(mail.text).toContain(mail.url)
    expect(mail.text).not.toContain('Ada')
    expect(new URL(mail.url).pathname).not.toContain(mail.token)
    const opened = await app.fetch(new Request(mail.url))
    expect([opened.status, opened.headers.get('location')]).toEqual([
      302,
      `${ORIGIN}/reset-password?token=${mail.token}`,
    ])

    const reset = { token: mail.token, newPassword: NEW_PASSWORD }
    expect((await createBrowser(app).post('/api/auth/reset-password', reset)).status).toBe(200)
    expect((await browser.get('/api/me')).status).toBe(401)
    const again = await createBrowser(app).post('/api/auth/reset-password', { ...reset, newPassword: 'another one' })
    expect([again.status, (await readJson(again))['code']]).toEqual([400, 'INVALID_TOKEN'])
    expect((await browser.post('/api/auth/sign-in/email', ADA)).status).toBe(401)
    expect((await browser.post('/api/auth/sign-in/email', { ...ADA, password: NEW_PASSWORD })).status).toBe(200)
  })

  it('redirects to the page in the request, or to resetPath by default', async () => {
    const { auth, app } = start({ send, resetPath: '/account/new-password' })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    await browser.post('/api/auth/request-password-reset', { email: ADA.email, redirectTo: '/here' })
    await browser.post('/api/auth/request-password-reset', { email: ADA.email })
    await auth.close()
    const pages = mails.map(({ url }) => new URL(url).searchParams.get('callbackURL'))
    expect(pages).toEqual(['/here', '/account/new-password'])
  })

  it('removes line breaks from names', async () => {
    const { auth, app } = start({ send })
    await createBrowser(app).post('/api/auth/sign-up/email', { ...ADA, name: 'Ada\r\nBcc: eve@evil.test' })
    await createBrowser(app).post('/api/auth/request-password-reset', { email: ADA.email })
    await auth.close()
    expect(theMail().user.name).toBe('Ada Bcc: eve@evil.test')
  })

  it('accepts a reset token once if concurrent requests use it', async () => {
    const { auth, app } = start({ send })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    await browser.post('/api/auth/request-password-reset', { email: ADA.email })
    await auth.close()
    const { token } = theMail()
    const responses = await Promise.all(
      [1, 2, 3, 4].map((n) =>
        createBrowser(app).post('/api/auth/reset-password', { token, newPassword: `${NEW_PASSWORD} ${n}` }),
      ),
    )
    expect(responses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 400, 400, 400])
  })

  it('invalidates older reset links when the password changes', async () => {
    const { auth, app } = start({ send })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    for (let n = 0; n < 3; n++) await browser.post('/api/auth/request-password-reset', { email: ADA.email })
    await auth.close()
    const [first, second, third] = mails.map(({ token }) => token)
    const reset = async (token: string | undefined): Promise<number> =>
      (await createBrowser(app).post('/api/auth/reset-password', { token, newPassword: NEW_PASSWORD })).status
    expect([await reset(second), await reset(first), await reset(third)]).toEqual([200, 400, 400])

    mails.length = 0
    const change = { currentPassword: NEW_PASSWORD, newPassword: 'changed meanwhile' }
    await browser.post('/api/auth/sign-in/email', { ...ADA, password: NEW_PASSWORD })
    await browser.post('/api/auth/request-password-reset', { email: ADA.email })
    await auth.close()
    const changed = await browser.post('/api/auth/change-password', change)
    expect([changed.status, await reset(theMail().token)]).toEqual([200, 400])
  })

  it('returns the same response for unknown addresses, but sends no email', async () => {
    const { auth, app } = start({ send })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    const requestReset = async (email: string): Promise<unknown> => {
      const response = await createBrowser(app).post('/api/auth/request-password-reset', { email })
      return [response.status, await response.text()]
    }
    expect(await requestReset('nobody@example.com')).toEqual(await requestReset(ADA.email))
    await auth.close()
    expect(mails.map(({ to }) => to)).toEqual([ADA.email])
  })

  it('returns 403 at sign-in until the verification link is opened', async () => {
    const { auth, app } = start({ send, requireVerification: true })
    const browser = createBrowser(app)
    expect((await browser.post('/api/auth/sign-up/email', ADA)).status).toBe(200)
    expect(browser.cookie()).toBe('')
    const early = await browser.post('/api/auth/sign-in/email', ADA)
    expect([early.status, (await readJson(early))['code']]).toEqual([403, 'EMAIL_NOT_VERIFIED'])
    await auth.close()
    const mail = theMail()
    expect(mail).toMatchObject({ kind: 'verify-email', to: ADA.email })
    expect((await app.fetch(new Request(mail.url))).status).toBe(302)
    expect((await browser.post('/api/auth/sign-in/email', ADA)).status).toBe(200)
    expect(await readJson(await browser.get('/api/me'))).toMatchObject({ user: { emailVerified: true } })
  })

  it('does not reveal existing accounts at sign-up if addresses must be verified', async () => {
    const { auth, app } = start({ send, requireVerification: true })
    await createBrowser(app).post('/api/auth/sign-up/email', ADA)
    const again = await createBrowser(app).post('/api/auth/sign-up/email', ADA)
    expect(again.status).toBe(200)
    await auth.close()
    expect(mails).toHaveLength(1)
  })

  it('sends a new verification link on request', async () => {
    const { auth, app } = start({ send })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    expect((await browser.post('/api/auth/send-verification-email', { email: ADA.email })).status).toBe(200)
    await auth.close()
    expect((await app.fetch(new Request(theMail().url))).status).toBe(302)
    expect(await readJson(await browser.get('/api/me'))).toMatchObject({ user: { emailVerified: true } })
  })

  it('responds without waiting for the email and ignores its failure', async () => {
    let fail = (_error: Error): void => {}
    const sending = new Promise<void>((_resolve, reject) => {
      fail = reject
    })
    const { auth, app } = start({ send: () => sending })
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    expect((await browser.post('/api/auth/request-password-reset', { email: ADA.email })).status).toBe(200)
    fail(new Error('the mail server is away'))
    await auth.close()
  })

  it('prints the link in development and publishes the email on sdk:auth:mail', async () => {
    const received: unknown[] = []
    const printed = vi.spyOn(console, 'log').mockImplementation(() => {})
    const listen = (mail: unknown): void => void received.push(mail)
    subscribe('sdk:auth:mail', listen)
    const { auth, app } = start()
    const browser = createBrowser(app)
    await browser.post('/api/auth/sign-up/email', ADA)
    await browser.post('/api/auth/request-password-reset', { email: ADA.email })
    await auth.close()
    unsubscribe('sdk:auth:mail', listen)
    expect(received).toEqual([expect.objectContaining({ kind: 'reset-password', to: ADA.email })])
    expect(printed.mock.calls.flat().join('\n')).toContain('/api/auth/reset-password?')
  })

  it('returns 400 and logs a warning in production if email.send is not set', async () => {
    vi.stubEnv('NODE_ENV', 'production')
    const auth = createAuth({ database, secret: SECRET, baseURL: ORIGIN })
    const browser = createBrowser(createTestApp(auth))
    for (const path of ['request-password-reset', 'send-verification-email']) {
      const response = await browser.post(`/api/auth/${path}`, { email: ADA.email })
      expect(response.status).toBe(400)
    }
    const { lines, log } = createTestLog()
    warnWithoutMail({ send: null }, log)
    warnWithoutMail({ send }, log)
    expect(lines).toEqual([
      expect.objectContaining({ level: 'warn', message: expect.stringContaining('email: { send }') }),
    ])
  })
})

describe('createMailQueue', () => {
  const mail: AuthMail = {
    kind: 'verify-email',
    to: 'ada@example.com',
    user: { id: '1', name: 'Ada', email: 'ada@example.com' },
    subject: 'Subject',
    text: 'Text',
    url: 'https://app.example.com/secret-link',
    token: 'secret-token',
  }

  it('logs emails that could not be sent, without their links', async () => {
    const { lines, log } = createTestLog()
    const mailQueue = createMailQueue({ send: () => Promise.reject(new Error('550 no such user')) }, log)
    mailQueue.add(mail)
    await mailQueue.flush()
    expect(lines).toMatchObject([{ level: 'error', kind: 'verify-email', userId: '1', error: { message: /550/ } }])
    expect(JSON.stringify(lines)).not.toContain('secret-')
  })

  it('drops emails above its limit and logs an error', async () => {
    const { lines, log } = createTestLog()
    let release = (): void => {}
    const hung = new Promise<void>((resolve) => {
      release = resolve
    })
    const mailQueue = createMailQueue({ send: () => hung }, log)
    for (let n = 0; n < 1001; n++) mailQueue.add(mail)
    expect(lines).toMatchObject([{ level: 'error', message: 'auth dropped an email: too many emails are pending' }])
    release()
    await mailQueue.flush()
    mailQueue.add(mail)
    expect(lines).toHaveLength(1)
  })
})

function createTestLog(): { lines: LogFields[]; log: Log } {
  const lines: LogFields[] = []
  const at =
    (level: string) =>
    (message: string, fields: LogFields = {}): void =>
      void lines.push({ level, message, ...fields })
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } }
}
