import type { RequestAuth } from '../auth/identity.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'

/** An open connection of somebody who is signed in. */
export interface AuthenticatedConnection {
  /** The id of the user's session. */
  readonly userSessionId: string
  /** When that ends, as far as is known, in ms since 1970. */
  expiresAt: number
  /** The session is over: closes the connection with 4401, for good. */
  end(reason: string): void
}

interface AuthenticatedConnectionsOptions {
  /** Tells which sessions are good still; without it they end when they said. */
  readonly getActiveSessions: SessionProvider['getActiveSessions'] | undefined
  readonly log: Log
  /** How often to ask, in ms. */
  readonly checkInterval: number
}

/** Sessions that ended and are remembered: one may end while its connection is being let in. */
const MAX_ENDED = 10_000

/** The open connections of those who are signed in: each ends with its user's session. */
export class AuthenticatedConnections {
  readonly #options: AuthenticatedConnectionsOptions
  readonly #open = new Map<string, Set<AuthenticatedConnection>>()
  /** The oldest come first. */
  readonly #ended = new Set<string>()
  /** Those that should have expired, to be asked for together. */
  readonly #due = new Set<string>()
  #timer: ReturnType<typeof setInterval> | null = null
  #isChecking = false

  constructor(options: AuthenticatedConnectionsOptions) {
    this.#options = options
  }

  add(connection: AuthenticatedConnection): void {
    const { userSessionId: userSession } = connection
    if (this.#ended.has(userSession)) return connection.end('the session has ended')
    const others = this.#open.get(userSession)
    if (others === undefined) this.#open.set(userSession, new Set([connection]))
    else others.add(connection)
    if (this.#options.getActiveSessions !== undefined)
      this.#timer ??= unref(setInterval(() => void this.#checkAll(), this.#options.checkInterval))
  }

  delete(connection: AuthenticatedConnection): void {
    const { userSessionId: userSession } = connection
    const open = this.#open.get(userSession)
    if (open?.delete(connection) !== true || open.size > 0) return
    this.#open.delete(userSession)
    if (this.#open.size === 0) this.close()
  }

  /** These sessions are over. */
  end(sessionIds: readonly string[], reason: string): void {
    for (const id of sessionIds) {
      this.#ended.add(id)
      for (const connection of this.#open.get(id) ?? []) connection.end(reason)
    }
    for (const oldest of this.#ended) {
      if (this.#ended.size <= MAX_ENDED) break
      this.#ended.delete(oldest)
    }
  }

  /** Its session should be over by now, unless it was renewed meanwhile. */
  onExpired(connection: AuthenticatedConnection): void {
    if (this.#options.getActiveSessions === undefined) return connection.end('the session has expired')
    // Until it is known; where it cannot be found out now, it is asked for with all others.
    connection.expiresAt = Number.POSITIVE_INFINITY
    this.#due.add(connection.userSessionId)
    if (this.#due.size === 1) queueMicrotask(() => void this.#checkDue())
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  async #checkAll(): Promise<void> {
    // A database that is slow to answer is not asked again.
    if (this.#isChecking) return
    this.#isChecking = true
    await this.#check([...this.#open.keys()])
    this.#isChecking = false
  }

  async #checkDue(): Promise<void> {
    const due = [...this.#due]
    this.#due.clear()
    await this.#check(due)
  }

  /** Never rejects. */
  async #check(ids: readonly string[]): Promise<void> {
    try {
      const active = await this.#options.getActiveSessions?.(ids)
      if (active !== undefined) for (const id of ids) this.#onChecked(id, active.get(id))
    } catch (error) {
      this.#options.log.warn('it cannot be found out who is signed in still', errorFields(error))
    }
  }

  #onChecked(id: string, expiresAt: number | undefined): void {
    if (expiresAt === undefined) return this.end([id], 'the session has ended')
    if (expiresAt <= Date.now()) return this.end([id], 'the session has expired')
    for (const connection of this.#open.get(id) ?? []) connection.expiresAt = expiresAt
  }
}

/** When somebody's session ends, in ms since 1970; never for nobody. */
export function expiryOf(auth: RequestAuth | null): number {
  const at = Date.parse(auth?.session.expiresAt ?? '')
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}
