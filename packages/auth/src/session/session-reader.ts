import type { Database } from '@sdk/database'
import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import type { RequestAuth, User } from '@sdk/server'
import type { AuthHeaders } from '../auth.ts'
import type { Library } from '../better-auth/better-auth.ts'
import { orUnavailable } from '../better-auth/unavailable.ts'
import { verifyAccessToken } from './access-token.ts'
import { type AuthRecord, toRequestAuth, toUser } from './request-auth.ts'
import type { SessionCache } from './session-cache.ts'
import { findCookie, verifySigned } from './session-cookie.ts'
import { createSessionSource, type SessionSource } from './session-source.ts'

/** Who sends a request: null for nobody. */
export type Identified = RequestAuth | null | Promise<RequestAuth | null>

/** Finds out who sends a request. */
export interface SessionReader {
  /** By access token or session cookie; null where neither is good. At once where it was found a moment ago. */
  identify(headers: AuthHeaders): Identified
  /** When these sessions end, in ms since 1970; those that are gone are left out. */
  living(sessionIds: readonly string[]): Promise<ReadonlyMap<string, number>>
}

/** What a reader works with. */
export interface ReaderParts {
  readonly secret: string
  /** Null where the tables are reached by an adapter alone. */
  readonly database: Database | null
  readonly cache: SessionCache
  start(): Promise<Library>
}

/** Every name of the cookie ends so. */
const SESSION_COOKIE = 'sdk.session_token='

/** One way to ask for a session: by what the caller shows. */
interface Question {
  readonly key: string
  readonly until: number
  readonly via: RequestAuth['via']
  ask(source: SessionSource): Promise<AuthRecord | null>
}

/** Reads sessions from the library's tables. */
export function createSessionReader({ secret, database, cache, start }: ReaderParts): SessionReader {
  let opened: Opened | undefined

  async function open(): Promise<Opened> {
    const library = await start()
    const cookieName = library.context.authCookies.sessionToken.name
    return (opened ??= { cookieName, source: createSessionSource(library, database) })
  }

  const answer = createAnswers(cache, async () => opened ?? open())

  function identify(headers: AuthHeaders): Identified {
    const token = tokenIn(headers)
    if (token !== null) return known(`bearer ${token}`, () => questionOfToken(token))
    const cookie = headers.get('cookie')
    if (!cookie?.includes(SESSION_COOKIE)) return null
    if (opened === undefined) return orUnavailable(open).then(() => identify(headers))
    const signed = findCookie(cookie, opened.cookieName)
    return signed === null ? null : known(`cookie ${signed}`, () => questionOfCookie(signed))
  }

  /** What was found for the very same text needs no second look at its signature. */
  function known(key: string, toQuestion: () => Omit<Question, 'key'> | null): Identified {
    const found = cache.find(key)
    if (found !== null) return found
    const question = toQuestion()
    return question === null ? null : answer({ key, ...question })
  }

  function questionOfCookie(signed: string): Omit<Question, 'key'> | null {
    const session = verifySigned(signed, secret)
    return session === null ? null : { via: 'cookie', until: Infinity, ask: (source) => source.byToken(session) }
  }

  function questionOfToken(token: string): Omit<Question, 'key'> | null {
    const claim = verifyAccessToken(token, secret)
    if (claim === null) return null
    return { via: 'bearer', until: claim.expiresAt, ask: (source) => source.byId(claim.sessionId) }
  }

  return {
    identify,
    async living(sessionIds) {
      const living = await orUnavailable(async () => (opened ?? (await open())).source.living(sessionIds))
      const gone = sessionIds.filter((id) => !living.has(id))
      if (gone.length > 0) cache.clear(new Set(gone))
      return living
    },
  }
}

interface Opened {
  readonly cookieName: string
  readonly source: SessionSource
}

/** Answers questions, from the cache where it can. */
function createAnswers(
  cache: SessionCache,
  open: () => Promise<Opened>,
): (question: Question) => Promise<RequestAuth | null> {
  const users = new WeakMap<RequestAuth, User>()

  function answer(question: Question): Promise<RequestAuth | null> {
    const { key, until, via, ask } = question
    return cache.get({ key, until, read })

    async function read(): Promise<RequestAuth | null> {
      const record = await orUnavailable(async () => ask((await open()).source))
      if (record === null || record.session.expiresAt.getTime() <= Date.now()) return null
      const auth: RequestAuth = toRequestAuth(record, { via, getUser: () => userNow(question, auth) })
      users.set(auth, toUser(record))
      return auth
    }
  }

  /** A socket holds what was read for hours, so it is read again where it may have changed. */
  async function userNow(question: Question, before: RequestAuth): Promise<User> {
    const user = users.get(before)
    if (user === undefined) throw new TypeError('this was not read here')
    if (cache.find(question.key) === before) return user
    try {
      const now = await answer(question)
      return (now && users.get(now)) ?? user
    } catch {
      return user // whom we knew before will do while the database is away
    }
  }

  return answer
}

function tokenIn(headers: AuthHeaders): string | null {
  const offered = headers.get('sec-websocket-protocol')
  return fromAuthorization(headers.get('authorization')) ?? (offered && fromSubprotocols(offered).token)
}
