import type { ApiError } from '@sdk/protocol'
import { createAuthRoutesClient, type AuthRoutesClient, type AuthRoutesClientOptions } from './auth-routes-client.ts'
import type { AuthSnapshot, AuthSource, AuthUser } from './auth-source.ts'
import { backoffDelay } from '../backoff.ts'
import { systemClock, type Clock } from '../clock.ts'
import { toApiError } from '../http/to-api-error.ts'
import { pageVisibility, type VisibilityEvents } from './page-visibility.ts'
import { readAccess, readSession, type AccessToken, type AuthSession } from './session-response.ts'
import { createStore } from '../store/store.ts'
import { createBroadcastChannel, type TabBroadcast } from './broadcast-channel.ts'

/** Options of `createSessionClient`. */
export interface SessionClientOptions extends AuthRoutesClientOptions {
  /** When to look again who is signed in. @default the events of the page, if there is one */
  page?: VisibilityEvents | undefined
}

/** A source that asks the auth routes. */
export interface SessionClient extends AuthSource {
  /** Asks any auth route, as `GET /list-sessions`; resolves with its JSON. */
  request(route: string, body?: object): Promise<unknown>
  /** Asks one after which somebody else may be signed in, or in another way: it is read anew, in every tab. */
  change(route: string, body: object): Promise<void>
}

/** A token is renewed this long before it expires. A page that wakes up reads again only what is older than this. */
const MARGIN_MS = 30_000

/**
 * Makes an `AuthSource` that asks the auth routes: the session lives in a cookie, its short-lived token in memory.
 * `createAuthClient` of `@sdk/auth/client` is the same, with more to do for a page about one's account.
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
  /** Counts sign-ins and sign-outs. The answer to a question of an earlier era is ignored. */
  #era = 0
  /** The sign-in, or other change, that is under way. Reads wait for it: the session before may be gone already. */
  #changing: Promise<unknown> | undefined
  #isKnown = false
  #sessionId: unknown = null
  #validUntil = 0
  #readAt = -Infinity
  /** Why it could not be read who is signed in. */
  #fault: ApiError | null = null
  #subscribers = 0
  #stopTimer = (): void => {}
  #stopPage = (): void => {}

  constructor(options: SessionClientOptions) {
    this.#routes = createAuthRoutesClient(options)
    this.#clock = options.clock ?? systemClock
    this.#page = options.page ?? pageVisibility
    this.#tabs = createBroadcastChannel(`sdk.auth ${this.#routes.name}`, () => {
      this.#turn()
      if (this.#subscribers > 0) void this.#read()
    })
  }

  snapshot = (): AuthSnapshot => this.#store.get()

  subscribe = (listener: () => void): (() => void) => {
    let stop: (() => void) | null = this.#store.subscribe(listener)
    if (++this.#subscribers === 1) this.#start()
    return () => {
      stop?.()
      if (stop && --this.#subscribers === 0) this.#rest()
      stop = null
    }
  }

  async token(options: { force?: boolean } = {}): Promise<string | null> {
    // Repeated where somebody signed in or out meanwhile: the token is that of the user before.
    for (let era = -1; era !== this.#era;) {
      era = this.#era
      if (!this.#isKnown) await this.#read()
      else if (this.snapshot().user && (options.force || this.#isStale())) await this.#read(options.force)
    }
    const { user, token } = this.snapshot()
    if (this.#fault && (!this.#isKnown || (user && this.#isStale(MARGIN_MS)))) throw this.#fault
    return token
  }

  signIn(credentials: { email: string; password: string }): Promise<void> {
    return this.change('POST /sign-in/email', credentials)
  }

  signUp(account: { name: string; email: string; password: string }): Promise<void> {
    return this.change('POST /sign-up/email', account)
  }

  async signOut(): Promise<void> {
    await this.request('POST /sign-out', {})
    this.#turn()
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
    this.#turn()
    this.#tabs.notify()
    await this.#read()
    if (this.#fault) throw this.#fault
  }

  close(): void {
    this.#subscribers = -Infinity
    this.#rest()
  }

  #start(): void {
    this.#stopPage = this.#page((event) => {
      // While it was frozen, the page heard nothing of the other tabs, and answers on their way to it grew old.
      if (event === 'restored') {
        this.#era++
        this.#readAt = this.#validUntil = -Infinity
      }
      if (event !== 'offline') this.#wake()
    })
    this.#tabs.open()
    this.#wake()
    this.#schedule()
  }

  #rest(): void {
    this.#stopPage()
    this.#stopTimer()
    this.#tabs.close()
  }

  /** The page is visible, online or awake again: reads what may have changed. */
  #wake(): void {
    const isDue = this.#clock.now() - this.#readAt >= MARGIN_MS
    if (isDue || (this.snapshot().user && this.#isStale())) void this.#read()
  }

  /** From now on somebody else may be signed in. */
  #turn(): void {
    this.#era++
    this.#isKnown = false
    this.#sessionId = null
    this.#readAt = -Infinity
  }

  #isStale(margin = 0): boolean {
    return this.#clock.now() >= this.#validUntil + margin
  }

  /** Reads who is signed in, with a token if the one in hand will not do. Those who ask at the same time share it. */
  #read(force = false): Promise<void> {
    const era = this.#era
    const key = `${force} ${era}`
    const end = (settle: () => void): void => {
      // Removed first: a listener that asks again must not get the same answer.
      this.#running.delete(key)
      if (era === this.#era) settle()
    }
    const running =
      this.#running.get(key) ??
      this.#ask(force).then(
        (answer) => end(() => this.#settle(...answer)),
        (cause: unknown) => end(() => this.#fail(toApiError(cause))),
      )
    this.#running.set(key, running)
    return running
  }

  async #ask(force: boolean): Promise<[AuthSession | null, AccessToken | null]> {
    await this.#changing
    this.#readAt = this.#clock.now()
    const session = readSession(await this.#routes.send('GET /get-session'))
    const isEnough = !session || (!force && session.id === this.#sessionId && !this.#isStale())
    return [session, isEnough ? null : readAccess(await this.#routes.send('POST /access-token', {}))]
  }

  #settle(session: AuthSession | null, access: AccessToken | null = null, fault: ApiError | null = null): void {
    const { user, token } = this.snapshot()
    this.#isKnown = true
    this.#sessionId = session?.id
    // A clock that is wrong by minutes must not make every fresh token look old.
    if (access) this.#validUntil = Math.max(access.expiresAt - MARGIN_MS, this.#clock.now() + MARGIN_MS)
    if (!session) this.#routes.forget()
    this.#show({ user: session && sameUser(user, session.user), token: session && (access?.token ?? token) }, fault)
  }

  #fail(error: ApiError): void {
    const isRefusal = /^4(?!08|29)/.test(`${error.status}`)
    // Only a refusal says that nobody is signed in; a server that is down says nothing.
    if (isRefusal) return this.#settle(null, null, error.status === 401 ? null : error)
    this.#readAt = -Infinity
    // Keeps the user who was known; after a sign-in or sign-out nobody is.
    this.#show(this.#isKnown ? {} : { user: null, token: null }, error)
  }

  #show(change: Partial<AuthSnapshot>, fault: ApiError | null): void {
    const { error } = this.snapshot()
    // What a failed sign-in says stays until the next one.
    const kept = error === this.#fault ? null : error
    this.#fault = fault
    this.#store.patch({ ...change, loading: false, error: fault ?? kept })
    this.#schedule()
  }

  /** Renews the token in time, and asks again where there was no answer. */
  #schedule(): void {
    const fault = this.#fault
    this.#stopTimer()
    if (this.#subscribers <= 0 || !(this.snapshot().user || (fault && !this.#isKnown))) return
    const delay = fault ? backoffDelay(9) : Math.max(0, this.#validUntil - this.#clock.now())
    this.#stopTimer = this.#clock.after(delay, () => void this.#read(!fault))
  }
}

/** The same object for the same user, so that whoever renders it need not do so again. */
function sameUser(old: AuthUser | null, user: AuthUser): AuthUser {
  return old && JSON.stringify(old) === JSON.stringify(user) ? old : user
}
