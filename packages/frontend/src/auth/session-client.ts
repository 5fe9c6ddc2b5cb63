import type { ApiError } from '@sdk/protocol'
import { createAuthRoutesClient, type AuthRoutesClient, type AuthRoutesClientOptions } from './auth-routes-client.ts'
import type { AuthSnapshot, AuthSource, AuthUser, SignUpAccount } from './auth-source.ts'
import { backoffDelay } from '../backoff.ts'
import { systemClock, type Clock } from '../clock.ts'
import { toApiError } from '../http/to-api-error.ts'
import { pageVisibility, type VisibilityEvents } from './page-visibility.ts'
import { readAccessToken, readSession, type AccessToken, type AuthSession } from './session-response.ts'
import { createStore } from '../store/store.ts'
import { createBroadcastChannel, type TabBroadcast } from './broadcast-channel.ts'

/** Options for `createSessionClient`. */
export interface SessionClientOptions extends AuthRoutesClientOptions {
  /** The page events after which the session is fetched again. @default the events of the page, if there is one */
  page?: VisibilityEvents | undefined
}

/** An `AuthSource` that calls the auth routes. */
export interface SessionClient extends AuthSource {
  /** Calls any auth route, such as `GET /list-sessions`, and resolves with its JSON. */
  request(route: string, body?: object): Promise<unknown>
  /** Calls a route that may change the session or its user, then fetches the session again in every tab. */
  change(route: string, body: object): Promise<void>
}

/**
 * How long before its expiry a token is renewed, in ms. A session older than this is read again when the page becomes
 * visible.
 */
const MARGIN_MS = 30_000

/**
 * Creates an `AuthSource` that calls the auth routes. The session is kept in a cookie, and its short-lived token in
 * memory. `createAuthClient` in `@sdk/auth/client` adds functions for account pages.
 * @example const client = createClient({ auth: createSessionClient() })
 */
export function createSessionClient(options: SessionClientOptions = {}): SessionClient {
  return new RouteSessionClient(options)
}

class RouteSessionClient implements SessionClient {
  #store = createStore<AuthSnapshot>({ loading: true, user: null, token: null, error: null })
  #routes: AuthRoutesClient
  #clock: Clock
  #page: VisibilityEvents
  #tabs: TabBroadcast
  #running = new Map<string, Promise<void>>()
  /** The number of sign-ins and sign-outs so far. Responses to requests from an earlier era are ignored. */
  #era = 0
  /** The sign-in or other change in progress. Reads wait for it, since the previous session may already have ended. */
  #changing: Promise<unknown> | undefined
  #isLoaded = false
  #sessionId: unknown = null
  #validUntil = 0
  #readAt = -Infinity
  /** The error from the last time the session was read. */
  #readError: ApiError | null = null
  #subscribers = 0
  #stopTimer = (): void => {}
  #stopPage = (): void => {}

  constructor(options: SessionClientOptions) {
    this.#routes = createAuthRoutesClient(options)
    this.#clock = options.clock ?? systemClock
    this.#page = options.page ?? pageVisibility
    this.#tabs = createBroadcastChannel(`sdk.auth ${this.#routes.name}`, () => {
      this.#invalidate()
      if (this.#subscribers > 0) void this.#read()
    })
  }

  snapshot = (): AuthSnapshot => this.#store.get()

  subscribe = (listener: () => void): (() => void) => {
    let stop: (() => void) | null = this.#store.subscribe(listener)
    if (++this.#subscribers === 1) this.#start()
    return () => {
      stop?.()
      if (stop && --this.#subscribers === 0) this.#stop()
      stop = null
    }
  }

  async token(options: { force?: boolean } = {}): Promise<string | null> {
    // Retries after a concurrent sign-in or sign-out, because the token belongs to the previous user.
    for (let era = -1; era !== this.#era;) {
      era = this.#era
      if (!this.#isLoaded) await this.#read()
      else if (this.snapshot().user && (options.force || this.#isStale())) await this.#read(options.force)
    }
    const { user, token } = this.snapshot()
    if (this.#readError && (!this.#isLoaded || (user && this.#isStale(MARGIN_MS)))) throw this.#readError
    return token
  }

  signIn(credentials: { email: string; password: string }): Promise<void> {
    return this.change('POST /sign-in/email', credentials)
  }

  signUp(account: SignUpAccount): Promise<void> {
    return this.change('POST /sign-up/email', account)
  }

  async signOut(): Promise<void> {
    await this.request('POST /sign-out', {})
    this.#invalidate()
    this.#settle(null)
    this.#tabs.notify()
  }

  async request(route: string, body?: object): Promise<unknown> {
    this.#store.patch({ error: null })
    try {
      return await this.#routes.send(route, body)
    } catch (cause) {
      this.#store.patch({ error: toApiError(cause) })
      throw cause
    }
  }

  async change(route: string, body: object): Promise<void> {
    const changing = this.request(route, body)
    this.#changing = changing.catch(() => {})
    await changing
    this.#invalidate()
    this.#tabs.notify()
    await this.#read()
    if (this.#readError) throw this.#readError
  }

  close(): void {
    this.#subscribers = -Infinity
    this.#stop()
  }

  #start(): void {
    this.#stopPage = this.#page((event) => {
      // A frozen page receives no messages from the other tabs, and its pending responses are stale.
      if (event === 'restored') {
        this.#era++
        this.#readAt = this.#validUntil = -Infinity
      }
      if (event !== 'offline') this.#refresh()
    })
    this.#tabs.open()
    this.#refresh()
    this.#schedule()
  }

  #stop(): void {
    this.#stopPage()
    this.#stopTimer()
    this.#tabs.close()
  }

  /** Reads the session again if it may have changed while the page was hidden or offline. */
  #refresh(): void {
    const isDue = this.#clock.now() - this.#readAt >= MARGIN_MS
    if (isDue || (this.snapshot().user && this.#isStale())) void this.#read()
  }

  /** Discards the session, because another user may be signed in. */
  #invalidate(): void {
    this.#era++
    this.#isLoaded = false
    this.#sessionId = null
    this.#readAt = -Infinity
  }

  #isStale(margin = 0): boolean {
    return this.#clock.now() >= this.#validUntil + margin
  }

  /** Reads the session, and a new token if the current one is stale. Concurrent callers share the requests. */
  #read(force = false): Promise<void> {
    const era = this.#era
    const key = `${force} ${era}`
    const end = (settle: () => void): void => {
      // The entry is removed first, because a listener that reads again must not share this response.
      this.#running.delete(key)
      if (era === this.#era) settle()
    }
    const running =
      this.#running.get(key) ??
      this.#fetchSession(force).then(
        (result) => end(() => this.#settle(...result)),
        (cause: unknown) => end(() => this.#fail(toApiError(cause))),
      )
    this.#running.set(key, running)
    return running
  }

  async #fetchSession(force: boolean): Promise<[AuthSession | null, AccessToken | null]> {
    await this.#changing
    this.#readAt = this.#clock.now()
    const session = readSession(await this.#routes.send('GET /get-session'))
    const isEnough = !session || (!force && session.id === this.#sessionId && !this.#isStale())
    return [session, isEnough ? null : readAccessToken(await this.#routes.send('POST /access-token', {}))]
  }

  #settle(session: AuthSession | null, access: AccessToken | null = null, readError: ApiError | null = null): void {
    const { user, token } = this.snapshot()
    this.#isLoaded = true
    this.#sessionId = session?.id
    // A clock that is off by minutes must not make every new token stale.
    if (access) this.#validUntil = Math.max(access.expiresAt - MARGIN_MS, this.#clock.now() + MARGIN_MS)
    if (!session) this.#routes.forget()
    this.#publish(
      { user: session && sameUser(user, session.user), token: session && (access?.token ?? token) },
      readError,
    )
  }

  #fail(error: ApiError): void {
    const isRejection = /^4(?!08|29)/.test(`${error.status}`)
    // Only a rejection means that no user is signed in; an unavailable server does not.
    if (isRejection) return this.#settle(null, null, error.status === 401 ? null : error)
    this.#readAt = -Infinity
    // Keep the user if the session is already loaded. It is not loaded right after a sign-in or sign-out.
    this.#publish(this.#isLoaded ? {} : { user: null, token: null }, error)
  }

  #publish(change: Partial<AuthSnapshot>, readError: ApiError | null): void {
    const { error } = this.snapshot()
    // The error of a failed sign-in is kept until the next attempt.
    const previous = error === this.#readError ? null : error
    this.#readError = readError
    this.#store.patch({ ...change, loading: false, error: readError ?? previous })
    this.#schedule()
  }

  /** Schedules the token renewal, or a retry after a failed read. */
  #schedule(): void {
    const readError = this.#readError
    this.#stopTimer()
    if (this.#subscribers <= 0 || !(this.snapshot().user || (readError && !this.#isLoaded))) return
    const delay = readError ? backoffDelay(9) : Math.max(0, this.#validUntil - this.#clock.now())
    this.#stopTimer = this.#clock.after(delay, () => void this.#read(!readError))
  }
}

/** Returns the old object if the user is unchanged, so that components do not render again. */
function sameUser(old: AuthUser | null, user: AuthUser): AuthUser {
  return old && JSON.stringify(old) === JSON.stringify(user) ? old : user
}
