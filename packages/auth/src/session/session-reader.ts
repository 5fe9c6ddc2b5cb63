import type { Database } from '@sdk/database'
import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import type { RequestAuth, User } from '@sdk/server'
import type { AuthHeaders } from '../auth.ts'
import type { BetterAuth } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { verifyAccessToken } from './access-token.ts'
import { type AuthRecord, toRequestAuth, toUser } from './request-auth.ts'
import type { SessionCache } from './session-cache.ts'
import { findCookie, verifySigned } from './session-cookie.ts'
import { createSessionSource, type SessionSource } from './session-source.ts'

/** The authenticated caller of a request; null for nobody. */
export type Identified = RequestAuth | null | Promise<RequestAuth | null>

/** Authenticates requests. */
export interface SessionReader {
  /** Authenticates by access token or session cookie; null where neither is valid. Synchronous on a cache hit. */
  identify(headers: AuthHeaders): Identified
  /** When these sessions end, in ms since 1970; those that are gone are left out. */
  getActiveSessions(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** Options of `createSessionReader`. */
export interface SessionReaderOptions {
  readonly secret: string
  /** Null where the tables are reached by an adapter alone. */
  readonly database: Database | null
  readonly cache: SessionCache
  start(): Promise<BetterAuth>
}

/** The end of every name of the cookie. */
const SESSION_COOKIE = 'sdk.session_token='

interface SessionQuery {
  readonly key: string
  readonly until: number
  readonly via: RequestAuth['via']
  read(source: SessionSource): Promise<AuthRecord | null>
}

/** Creates a reader of sessions in the tables of Better Auth. */
export function createSessionReader({ secret, database, cache, start }: SessionReaderOptions): SessionReader {
  let opened: OpenSource | undefined

  async function open(): Promise<OpenSource> {
    const library = await start()
    const cookieName = library.context.authCookies.sessionToken.name
    return (opened ??= { cookieName, source: createSessionSource(library, database) })
  }

  const readCached = createCachedReads(cache, async () => opened ?? open())

  function identify(headers: AuthHeaders): Identified {
    const token = findToken(headers)
    if (token !== null) return readKnown(`bearer ${token}`, () => toTokenQuery(token))
    const cookie = headers.get('cookie')
    if (!cookie?.includes(SESSION_COOKIE)) return null
    if (opened === undefined) return orUnavailable(open).then(() => identify(headers))
    const signed = findCookie(cookie, opened.cookieName)
    return signed === null ? null : readKnown(`cookie ${signed}`, () => toCookieQuery(signed))
  }

  /** Skips the signature check for a credential that is in the cache. */
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

  return {
    identify,
    async getActiveSessions(sessionIds) {
      const active = await orUnavailable(async () => (opened ?? (await open())).source.getActiveSessions(sessionIds))
      const gone = sessionIds.filter((id) => !active.has(id))
      if (gone.length > 0) cache.clear(new Set(gone))
      return active
    },
  }
}

interface OpenSource {
  readonly cookieName: string
  readonly source: SessionSource
}

function createCachedReads(
  cache: SessionCache,
  open: () => Promise<OpenSource>,
): (query: SessionQuery) => Promise<RequestAuth | null> {
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

  /** Reads the user again where it may have changed: a socket holds its session for hours. */
  async function readCurrentUser(question: SessionQuery, before: RequestAuth): Promise<User> {
    const user = users.get(before)
    if (user === undefined) throw new TypeError('this was not read here')
    if (cache.find(question.key) === before) return user
    try {
      const now = await readCached(question)
      return (now && users.get(now)) ?? user
    } catch {
      return user // the last known user will do while the database is unavailable
    }
  }

  return readCached
}

function findToken(headers: AuthHeaders): string | null {
  const offered = headers.get('sec-websocket-protocol')
  return fromAuthorization(headers.get('authorization')) ?? (offered && fromSubprotocols(offered).token)
}
