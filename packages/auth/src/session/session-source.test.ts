import { type Database, openDatabase } from '@sdk/database'
import { DATABASE_KINDS } from '@sdk/test-kit'
import type { BetterAuthOptions } from 'better-auth'
import { admin, organization, twoFactor, username } from 'better-auth/plugins'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADA, ORIGIN, SECRET } from '../auth-app.test.fixture.ts'
import { type BetterAuth, startBetterAuth } from '../better-auth/better-auth.ts'
import { createSessionCache } from './session-cache.ts'
import { createSessionReader, type SessionReader } from './session-reader.ts'
import { createSessionSource } from './session-source.ts'
import { toSessionStatements } from './session-statement.ts'

const COMMON = {
  baseURL: ORIGIN,
  secret: SECRET,
  emailAndPassword: { enabled: true },
  telemetry: { enabled: false },
  logger: { disabled: true },
  advanced: { cookiePrefix: 'sdk' },
} satisfies BetterAuthOptions

const FIELDS = {
  nickname: { type: 'string', required: false, defaultValue: 'countess' },
  pin: { type: 'string', required: false, defaultValue: '1815', returned: false },
  height: { type: 'number', required: false, defaultValue: 165 },
  isKind: { type: 'boolean', required: false, defaultValue: true },
  bornAt: { type: 'date', required: false, defaultValue: () => new Date('1815-12-10') },
  notes: { type: 'json', required: false, defaultValue: () => ({ on: ['engines'] }) },
} as const

const KINDS: Record<string, { options: BetterAuthOptions; isFast: boolean }> = {
  'with default options': { options: {}, isFast: true },
  'with plugins': {
    options: { plugins: [organization({ teams: { enabled: true } }), twoFactor(), admin(), username()] },
    isFast: true,
  },
  'with additional fields, some of them secret': {
    options: {
      user: { additionalFields: FIELDS },
      session: { additionalFields: { device: FIELDS.nickname, hidden: FIELDS.pin } },
    },
    isFast: true,
  },
  'with other names': {
    options: {
      user: { modelName: 'people', fields: { email: 'email_address', createdAt: 'since' } },
      session: { modelName: 'visits', fields: { userId: 'person', token: 'to"ken', expiresAt: 'until' } },
    },
    isFast: true,
  },
  'with fields that are transformed': {
    options: {
      user: {
        additionalFields: {
          shout: {
            type: 'string',
            required: false,
            defaultValue: 'hey',
            transform: { output: () => 'HEY' },
          },
          list: { type: 'string[]', required: false, defaultValue: () => ['a', 'b'] },
        },
      },
    },
    isFast: false,
  },
}

/** Returns the kinds to test. The embedded database runs the same statements, so it needs fewer. */
const kindsOn = (kind: string) => Object.entries(KINDS).slice(...(kind === 'pglite' ? [1, 3] : []))

for (const { kind, isHere, open } of DATABASE_KINDS)
  describe.skipIf(!isHere).each(kindsOn(kind))(`sessions on ${kind} in tables %s`, (_name, { options, isFast }) => {
    let database: Database
    let library: BetterAuth
    let reader: SessionReader
    let cookie: string
    let token: string
    let id: string

    beforeAll(async () => {
      database = await open(openDatabase)
      const config = { ...COMMON, ...options, database: database.pool as never }
      library = await startBetterAuth(config, { database, autoMigrate: true })
      const start = async (): Promise<BetterAuth> => library
      reader = createSessionReader({ secret: SECRET, database, cache: createSessionCache({ ttlMs: 0 }), start })
      const signUp = await library.api.signUpEmail({
        body: { ...ADA, username: 'ada' } as typeof ADA,
        returnHeaders: true,
      })
      cookie = signUp.headers.getSetCookie()[0]?.split(';')[0] ?? ''
      token = signUp.response.token ?? ''
      id = (await getSession(cookie))?.session.id ?? ''
    })
    afterAll(() => database.close())

    const getSession = (sent: string) =>
      library.api.getSession({ headers: new Headers({ cookie: sent }), query: { disableRefresh: true } })
    const toJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

    it('are read by token and by id as Better Auth reads them', async () => {
      const expected = await getSession(cookie)
      expect(expected?.user.email).toBe(ADA.email)
      for (const source of [createSessionSource(library, database), createSessionSource(library, null)]) {
        expect(await source.byToken(token)).toEqual(expected)
        const byId = await source.byId(id)
        expect(byId?.user).toEqual(expected?.user)
        expect(byId?.session).toMatchObject({ id, userId: expected?.user.id, expiresAt: expected?.session.expiresAt })
        expect(await source.getActiveSessions([id, 'another'])).toEqual(
          new Map([[id, expected?.session.expiresAt.getTime()]]),
        )
        expect(await source.getActiveSessions([])).toEqual(new Map())
      }
      const auth = await reader.identify(new Headers({ cookie }))
      expect(await auth?.getUser()).toEqual(toJson(expected?.user))
    })

    it('are read in one statement unless fields are transformed', () => {
      expect(toSessionStatements(library.context.options) !== null).toBe(isFast)
    })

    it('are found by the same cookies as in Better Auth', async () => {
      const name = cookie.slice(0, cookie.indexOf('='))
      const value = cookie.slice(cookie.indexOf('=') + 1)
      const cookies = [
        cookie,
        `a=b; ${cookie}; c`,
        `${name}="${value}"`,
        `${name}=bad; ${cookie}`,
        `${name}=`,
        `${name}=%`,
        `${name}=${value.slice(0, 10)}x${value.slice(11)}`,
        `${name}=${value.slice(0, -6)}abcdef`,
        `${name}=${token}`,
        `${name}=${'x'.repeat(8_000)}`,
        `__Secure-${cookie}`,
      ]
      for (const sent of cookies) {
        const [ours, theirs] = [await reader.identify(new Headers({ cookie: sent })), await getSession(sent)]
        expect({ sent, id: ours?.session.id }).toEqual({ sent, id: theirs?.session.id })
      }
    })

    it('are not found after they expire or are deleted', async () => {
      const { internalAdapter } = library.context
      const headers = new Headers({ cookie })
      await internalAdapter.updateSession(token, { expiresAt: new Date(Date.now() - 1) })
      expect([await reader.identify(headers), (await reader.getActiveSessions([id])).size]).toEqual([null, 1])
      await internalAdapter.updateSession(token, { expiresAt: new Date(Date.now() + 60_000) })
      expect(await reader.identify(headers)).not.toBeNull()
      await internalAdapter.deleteSession(token)
      expect([await reader.identify(headers), (await reader.getActiveSessions([id])).size]).toEqual([null, 0])
      expect(await getSession(cookie)).toBeNull()
    })
  })
