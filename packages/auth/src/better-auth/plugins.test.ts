import { createHmac } from 'node:crypto'
import { type Database, openDatabase } from '@sdk/database'
import { ONE_KIND } from '@sdk/test-kit'
import { oneTimeToken, organization, twoFactor } from 'better-auth/plugins'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, createBrowser, createTestApp, ORIGIN, readJson, SECRET } from '../auth-app.test.fixture.ts'
import { createAuth } from '../index.ts'

for (const { kind, isHere, open } of ONE_KIND) {
  describe.skipIf(!isHere)(`Better Auth plugins on ${kind}`, () => {
    let database: Database
    let app: ReturnType<typeof createTestApp>
    beforeAll(async () => {
      database = await open(openDatabase)
      const plugins = [organization(), twoFactor({ issuer: 'Test' }), oneTimeToken()]
      app = createTestApp(createAuth({ database, secret: SECRET, throttle: false, plugins }))
    })
    afterAll(() => database.close())

    const signUp = async (name: string): Promise<ReturnType<typeof createBrowser>> => {
      const browser = createBrowser(app)
      const reply = await browser.post('/api/auth/sign-up/email', { ...ADA, name, email: `${name}@example.com` })
      expect(reply.status).toBe(200)
      return browser
    }

    it('serve their routes and store their rows: organization', async () => {
      const [ada, grace] = [await signUp('ada'), await signUp('grace')]
      const made = await ada.post('/api/auth/organization/create', { name: 'Acme', slug: 'acme' })
      expect(made.status).toBe(200)
      const { id } = await readJson(made)
      const invitation = await ada.post('/api/auth/organization/invite-member', {
        email: 'grace@example.com',
        role: 'member',
        organizationId: id,
      })
      expect(invitation.status).toBe(200)
      const { id: invitationId } = await readJson(invitation)
      expect((await grace.post('/api/auth/organization/accept-invitation', { invitationId })).status).toBe(200)
      const full = await readJson(
        await grace.get(`/api/auth/organization/get-full-organization?organizationId=${String(id)}`),
      )
      expect(full).toMatchObject({ slug: 'acme', members: [{ role: 'owner' }, { role: 'member' }] })
      expect((await createBrowser(app).get('/api/auth/organization/list')).status).toBe(401)
    })

    it('require a second factor at sign-in: twoFactor', async () => {
      const browser = await signUp('linus')
      const enabled = await browser.post('/api/auth/two-factor/enable', { password: ADA.password })
      expect(enabled.status).toBe(200)
      const { totpURI, backupCodes } = (await readJson(enabled)) as { totpURI: string; backupCodes: string[] }
      expect(backupCodes).toHaveLength(10)
      const verified = await browser.post('/api/auth/two-factor/verify-totp', { code: totp(totpURI) })
      expect(verified.status).toBe(200)

      const jar = createJar(app)
      const signIn = await jar('/api/auth/sign-in/email', { email: 'linus@example.com', password: ADA.password })
      expect(await readJson(signIn)).toMatchObject({ twoFactorRedirect: true })
      expect((await jar('/api/act', {})).status).toBe(401)
      expect((await jar('/api/auth/two-factor/verify-totp', { code: '000000' })).status).toBe(401)
      expect((await jar('/api/auth/two-factor/verify-backup-code', { code: backupCodes[0] })).status).toBe(200)
      expect((await jar('/api/act', {})).status).toBe(200)
    })

    it('issue tokens that sign in another browser: oneTimeToken', async () => {
      const browser = await signUp('barbara')
      const { token } = await readJson(await browser.get('/api/auth/one-time-token/generate'))
      expect(token).toMatch(/^[\w-]{20,}$/)
      const elsewhere = createBrowser(app)
      expect((await elsewhere.post('/api/auth/one-time-token/verify', { token })).status).toBe(200)
      expect(await readJson(await elsewhere.get('/api/me'))).toMatchObject({ user: { name: 'barbara' } })
    })

    it('do not expose secrets in the user', async () => {
      const browser = await signUp('edsger')
      const { user } = (await readJson(await browser.get('/api/me'))) as { user: object }
      expect(Object.keys(user).toSorted()).toEqual(
        ['createdAt', 'email', 'emailVerified', 'id', 'image', 'name', 'twoFactorEnabled', 'updatedAt'].toSorted(),
      )
    })
  })
}

/** Returns a function that posts as a page of the app and stores all cookies. */
function createJar(app: ReturnType<typeof createTestApp>): (path: string, body: unknown) => Promise<Response> {
  const cookies = new Map<string, string>()
  return async (path, body) => {
    const headers = {
      'content-type': 'application/json',
      origin: ORIGIN,
      host: 'app.test',
      cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    }
    const reply = await app.fetch(new Request(ORIGIN + path, { method: 'POST', headers, body: JSON.stringify(body) }))
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return reply
  }
}

/** Returns the current code of an authenticator app (RFC 6238). */
function totp(uri: string): string {
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const bits = secret
    .replaceAll('=', '')
    .split('')
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)))
  const hash = createHmac('sha1', key).update(counter).digest()
  const number = hash.readUInt32BE((hash.at(-1) ?? 0) & 15) & 0x7fffffff
  return String(number % 1_000_000).padStart(6, '0')
}
