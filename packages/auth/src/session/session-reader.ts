import type { Database } from '@sdk/database'
import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import type { RequestAuth, User } from '@sdk/server'
import type { AuthHeaders } from '../auth.ts'
import type { Library } from '../library/library.ts'
import { orUnavailable } from '../library/unavailable.ts'
import { verifyAccessToken } from './access-token.ts'
import { type AuthRecord, toRequestAuth, toUser } from './request-auth.ts'
import type { SessionCache } from './session-cache.ts'
import { readSignedCookie } from './session-cookie.ts'
import { createSessionSource, type SessionSource } from './session-source.ts'

/** Finds out who sends a request. */
export interface SessionReader {
  /** By access token or session cookie; null where neither is good. */
  read(headers: AuthHeaders): Promise<RequestAuth | null>
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

/** One way to ask for a session, with the name it is kept under. */
interface Question {
  readonly key: string
  readonly via: RequestAuth['via']
  ask(source: SessionSource): Promise<AuthRecord | null>
}

/** Reads sessions from the library's tables. */
export function createSessionReader({ secret, database, cache, start }: ReaderParts): SessionReader {
  const users = new WeakMap<RequestAuth, User>()
  let opened: { readonly cookieName: string; readonly source: SessionSource } | undefined

  async function open(): Promise<NonNullable<typeof opened>> {
    const library = await start()
    const cookieName = library.context.authCookies.sessionToken.name
    return (opened ??= { cookieName, source: createSessionSource(library, database) })
  }

  async function questionIn(headers: AuthHeaders): Promise<Question | null> {
    const token = tokenIn(headers)
    if (token !== null) return questionOfToken(token)
    const cookie = headers.get('cookie')
    if (!cookie?.includes(SESSION_COOKIE)) return null
    const { cookieName } = opened ?? (await orUnavailable(open))
    const session = readSignedCookie(cookie, cookieName, secret)
    return session === null
      ? null
      : { key: `cookie ${session}`, via: 'cookie', ask: (source) => source.byToken(session) }
  }

  function questionOfToken(token: string): Question | null {
    const claim = verifyAccessToken(token, secret)
    if (claim === null) return null
    return { key: `id ${claim.sessionId}`, via: 'bearer', ask: (source) => source.byId(claim.sessionId) }
  }

  function answer(question: Question): Promise<RequestAuth | null> {
    const { key, via, ask } = question
    return cache.get(key, async () => {
      const record = await orUnavailable(async () => ask((opened ?? (await open())).source))
      if (record === null || record.session.expiresAt.getTime() <= Date.now()) return null
      const auth: RequestAuth = toRequestAuth(record, { via, getUser: () => userNow(question, auth) })
      users.set(auth, toUser(record))
      return auth
    })
  }

  /** A socket holds what was read for hours, so it is read again where it may have changed. */
  async function userNow(question: Question, known: RequestAuth): Promise<User> {
    const user = users.get(known)
    if (user === undefined) throw new TypeError('this was not read here')
    if (cache.has(question.key, known)) return user
    try {
      const now = await answer(question)
      return (now && users.get(now)) ?? user
    } catch {
      return user // whom we knew before will do while the database is away
    }
  }

  return {
    async read(headers) {
      const question = await questionIn(headers)
      return question === null ? null : answer(question)
    },
    async living(sessionIds) {
      const living = await orUnavailable(async () => (opened ?? (await open())).source.living(sessionIds))
      const gone = sessionIds.filter((id) => !living.has(id))
      if (gone.length > 0) cache.clear(new Set(gone))
      return living
    },
  }
}

function tokenIn(headers: AuthHeaders): string | null {
  return (
    fromAuthorization(headers.get('authorization')) ?? fromSubprotocols(headers.get('sec-websocket-protocol')).token
  )
}
