import { fromAuthorization, fromSubprotocols } from '@sdk/protocol'
import type { RequestAuth } from '@sdk/server'
import { parseUserOutput } from 'better-auth/db'
import type { AuthHeaders } from '../auth.ts'
import type { Library } from '../library/library.ts'
import { verifyAccessToken } from './access-token.ts'
import { type AuthRecord, toRequestAuth } from './request-auth.ts'

/** Finds out who sends a request. */
export interface SessionReader {
  /** By access token or session cookie; null where neither is good. */
  read(headers: AuthHeaders): Promise<RequestAuth | null>
}

/** What a reader works with. */
export interface ReaderParts {
  readonly secret: string
  start(): Promise<Library>
}

const SESSION_COOKIE = 'sdk.session_token='

interface SessionRow {
  id: string
  userId: string
  expiresAt: Date
  user: Parameters<typeof parseUserOutput>[1] | null
}

/** Reads sessions from the library's tables. */
export function createSessionReader({ secret, start }: ReaderParts): SessionReader {
  return {
    async read(headers) {
      const token = tokenIn(headers)
      if (token !== null) return toRequestAuth(await readByToken(token), 'bearer')
      const cookie = headers.get('cookie')
      if (!cookie?.includes(SESSION_COOKIE)) return null
      return toRequestAuth(await readByCookie(cookie), 'cookie')
    },
  }

  async function readByToken(token: string): Promise<AuthRecord | null> {
    const claim = verifyAccessToken(token, secret)
    if (!claim) return null
    const { context } = await start()
    const found = await context.adapter.findOne<SessionRow>({
      model: 'session',
      where: [{ field: 'id', value: claim.sessionId }],
      join: { user: true },
    })
    if (!found?.user || found.expiresAt.getTime() <= Date.now()) return null
    return { session: found, user: parseUserOutput(context.options, found.user) }
  }

  async function readByCookie(cookie: string): Promise<AuthRecord | null> {
    const { api } = await start()
    // Renewing a session needs an answer to put the new cookie on: the auth routes do that.
    return api.getSession({ headers: new Headers({ cookie }), query: { disableRefresh: true } })
  }
}

function tokenIn(headers: AuthHeaders): string | null {
  return (
    fromAuthorization(headers.get('authorization')) ?? fromSubprotocols(headers.get('sec-websocket-protocol')).token
  )
}
