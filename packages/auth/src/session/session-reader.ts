import type { Database } from '@sdk/database'
import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import type { RequestAuth, User } from '@sdk/server'
import type { Auth, AuthHeaders } from '../auth.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { verifyAccessToken } from './access-token.ts'
import { type AuthRecord, toRequestAuth, toUser } from './request-auth.ts'
import type { SessionCache, SessionLookup } from './session-cache.ts'
import { findCookie, readCookieHeader, verifySigned } from './session-cookie.ts'
import { createSessionSource, type SessionSource } from './session-source.ts'

/** A reader that authenticates requests, synchronously on a cache hit. */
export type SessionReader = Pick<Auth, 'identify' | 'isKnown' | 'getActiveSessions'>

type Identified = ReturnType<Auth['identify']>

export interface SessionReaderOptions {
  readonly secret: string
  /** The database, or null if an adapter provides the tables. */
  readonly database: Database | null
  readonly cache: SessionCache
  /** Reads a token for this path if it is an OAuth token. Returns undefined for other tokens. @default there is no OAuth */
  readOAuthToken?(token: string, path: string | undefined, headers: AuthHeaders): Identified | undefined
  start(): Promise<BetterAuth>
}

/** The suffix of all session cookie names, followed by an equals sign. */
const SESSION_COOKIE = 'sdk.session_token='

interface SessionQuery extends Omit<SessionLookup, 'read'> {
  readonly via: RequestAuth['via']
  read(source: SessionSource): Promise<AuthRecord | null>
}

/** Creates a reader for the sessions in Better Auth's tables. */
export function createSessionReader(options: SessionReaderOptions): SessionReader {
  const { secret, database, cache, readOAuthToken, start } = options
  let opened: { readonly cookieName: string; readonly source: SessionSource } | undefined

  async function open(): Promise<NonNullable<typeof opened>> {
    const library = await start()
    const cookieName = library.context.authCookies.sessionToken.name
    return (opened ??= { cookieName, source: createSessionSource(library, database) })
  }

  const readCached = createCachedReads(cache, async () => opened ?? open())

  function identify(headers: AuthHeaders, path?: string): Identified {
    const token = findToken(headers)
    if (token !== null)
      return readOAuthToken?.(token, path, headers) ?? readKnown(`bearer ${token}`, () => toTokenQuery(token))
    const cookie = readCookieHeader(headers)
    if (!cookie?.includes(SESSION_COOKIE)) return null
    if (opened === undefined) return orUnavailable(open).then(() => identify(headers))
    const signed = findCookie(cookie, opened.cookieName)
    return signed === null ? null : readKnown(`cookie ${signed}`, () => toCookieQuery(signed))
  }

  /** Returns the cached session without verifying the signature again, or reads the session. */
  function readKnown(key: string, toQuery: () => Omit<SessionQuery, 'key'> | null): Identified {
    const found = cache.find(key)
    if (found !== null) return found
    const query = toQuery()
    return query === null ? null : readCached({ key, ...query })
  }

  function toCookieQuery(signed: string): Omit<SessionQuery, 'key'> | null {
    const session = verifySigned(signed, secret)
    return session === null ? null : { via: 'cookie', until: Infinity, read: (source) => source.byToken(session) }
  }

  function toTokenQuery(token: string): Omit<SessionQuery, 'key'> | null {
    const claim = verifyAccessToken(token, secret)
    if (claim === null) return null
    return { via: 'bearer', until: claim.expiresAt, read: (source) => source.byId(claim.sessionId) }
  }

  function isKnown(headers: AuthHeaders): boolean {
    const token = findToken(headers)
    if (token !== null) return cache.wasFound(`bearer ${token}`)
    const cookie = readCookieHeader(headers)
    const signed = cookie === null || opened === undefined ? null : findCookie(cookie, opened.cookieName)
    return signed !== null && cache.wasFound(`cookie ${signed}`)
  }

  return {
    identify,
    isKnown,
    async getActiveSessions(sessionIds) {
      const active = await orUnavailable(async () => (opened ?? (await open())).source.getActiveSessions(sessionIds))
      const gone = sessionIds.filter((id) => !active.has(id))
      if (gone.length > 0) cache.clear(new Set(gone))
      return active
    },
  }
}

function createCachedReads(cache: SessionCache, open: () => Promise<{ source: SessionSource }>) {
  const users = new WeakMap<RequestAuth, User>()

  function readCached(question: SessionQuery): Promise<RequestAuth | null> {
    const { key, until, via, read: ask } = question
    return cache.get({ key, until, read })

    async function read(): Promise<RequestAuth | null> {
      const record = await orUnavailable(async () => ask((await open()).source))
      if (record === null || record.session.expiresAt.getTime() <= Date.now()) return null
      const auth: RequestAuth = toRequestAuth(record, { via, getUser: () => readCurrentUser(question, auth) })
      users.set(auth, toUser(record))
      return auth
    }
  }

  /** Returns the user. Reads it again if it may have changed, since a socket keeps its session for hours. */
  async function readCurrentUser(question: SessionQuery, before: RequestAuth): Promise<User> {
    const user = users.get(before)
    if (user === undefined) throw new TypeError('ctx.auth was created by another createAuth instance')
    if (cache.find(question.key) === before) return user
    try {
      const now = await readCached(question)
      return (now && users.get(now)) ?? user
    } catch {
      return user // fall back to the last known user while the database is unavailable
    }
  }

  return readCached
}

function findToken(headers: AuthHeaders): string | null {
  const offered = headers.get('sec-websocket-protocol')
  return fromAuthorization(headers.get('authorization')) ?? (offered && fromSubprotocols(offered).token)
}
