import type { RequestAuth } from '../auth/identity.ts'
import type { SessionProvider } from '../auth/session-provider.ts'
import { errorFields, type Log } from '../log/log.ts'
import { unref } from '../platform/unref-timer.ts'

/** An open connection of a signed-in user. */
export interface AuthenticatedConnection {
  /** The id of the user's session. */
  readonly userSessionId: string
  /** The last known expiry time of that session, in ms since the Unix epoch. */
  expiresAt: number
  /** Closes the connection permanently with 4401, because the session has ended. */
  end(reason: string): void
}

interface AuthenticatedConnectionsOptions {
  /** Returns the sessions that are still active. Without this function, sessions end at their `expiresAt`. */
  readonly getActiveSessions: SessionProvider['getActiveSessions'] | undefined
  readonly log: Log
  /** The interval between checks, in ms. */
  readonly checkInterval: number
}

/** The maximum number of ended sessions to remember. A session may end before its connection's handshake completes. */
const MAX_ENDED = 10_000

/** The open connections of signed-in users. Each connection is closed when its user's session ends. */
export class AuthenticatedConnections {
  readonly #options: AuthenticatedConnectionsOptions
  readonly #open = new Map<string, Set<AuthenticatedConnection>>()
  /** The ids of ended sessions, oldest first. */
  readonly #ended = new Set<string>()
  /** The ids of sessions that have reached their expiry time. They are checked in one batch. */
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

  /** Closes the connections of these sessions. */
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

  /** Closes a connection whose session has reached its expiry time, unless the session was renewed. */
  onExpired(connection: AuthenticatedConnection): void {
    if (this.#options.getActiveSessions === undefined) return connection.end('the session has expired')
    // Prevents repeated checks. If this check fails, the next regular check includes the session.
    connection.expiresAt = Number.POSITIVE_INFINITY
    this.#due.add(connection.userSessionId)
    if (this.#due.size === 1) queueMicrotask(() => void this.#checkDue())
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  async #checkAll(): Promise<void> {
    // Checks must not overlap if the database is slow.
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

  /** Checks sessions and closes the connections of those that have ended. Never rejects. */
  async #check(ids: readonly string[]): Promise<void> {
    try {
      const active = await this.#options.getActiveSessions?.(ids)
      if (active !== undefined) for (const id of ids) this.#onChecked(id, active.get(id))
    } catch (error) {
      this.#options.log.warn('could not re-validate sessions', errorFields(error))
    }
  }

  #onChecked(id: string, expiresAt: number | undefined): void {
    if (expiresAt === undefined) return this.end([id], 'the session has ended')
    if (expiresAt <= Date.now()) return this.end([id], 'the session has expired')
    for (const connection of this.#open.get(id) ?? []) connection.expiresAt = expiresAt
  }
}

/** Returns when the user's session expires, in ms since the Unix epoch, or `Infinity` if there is no user. */
export function expiryOf(auth: RequestAuth | null): number {
  const at = Date.parse(auth?.session.expiresAt ?? '')
  return Number.isNaN(at) ? Number.POSITIVE_INFINITY : at
}
