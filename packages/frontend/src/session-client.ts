import { ApiError } from '@sdk/protocol'
import type { AuthSnapshot, AuthSource, AuthUser } from './auth-source.ts'
import { systemClock, type Clock } from './clock.ts'
import { toApiError } from './failure.ts'
import { createHttpClient, type ClientOptions, type HttpClient } from './http-client.ts'
import { createStore } from './store.ts'

/** Options of `createSessionClient`. */
export interface SessionClientOptions extends Pick<ClientOptions, 'baseUrl' | 'fetch'> {
  /** Where the auth routes are. @default '/api/auth' */
  basePath?: string | undefined
  clock?: Clock | undefined
}

/** A token is renewed this long before it expires. */
const MARGIN_MS = 30_000

/** The longest time a timer can take. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The SDK's own client of the auth routes: the session lives in a cookie, its short-lived token in memory. */
export function createSessionClient(options: SessionClientOptions = {}): AuthSource {
  return new SessionClient(options)
}

class SessionClient implements AuthSource {
  #store = createStore<AuthSnapshot>({ loading: true, user: null, token: null, error: null })
  #http: HttpClient
  #basePath: string
  #clock: Clock
  #running = new Map<string, Promise<void>>()
  /** Counts who came and went: an answer of an earlier era is of no interest. */
  #era = 0
  #isKnown = false
  #validUntil = 0
  #subscribers = 0
  #stopTimer = (): void => {}

  constructor(options: SessionClientOptions) {
    this.#http = createHttpClient(options)
    this.#basePath = options.basePath ?? '/api/auth'
    this.#clock = options.clock ?? systemClock
  }

  snapshot = (): AuthSnapshot => this.#store.get()

  subscribe = (listener: () => void): (() => void) => {
    const stop = this.#store.subscribe(listener)
    this.#subscribers++
    if (this.#isKnown) this.#schedule()
    else void this.#load()
    return () => {
      stop()
      this.#subscribers--
      this.#schedule()
    }
  }

  async token(options: { force?: boolean } = {}): Promise<string | null> {
    for (let era = -1; !this.#isKnown && era !== this.#era;) {
      era = this.#era
      await this.#load()
    }
    const isStale = (): boolean => this.#clock.now() >= this.#validUntil
    if (this.snapshot().user !== null && (options.force === true || isStale())) await this.#renew()
    const { user, token, error } = this.snapshot()
    if (error !== null && (!this.#isKnown || (user !== null && isStale()))) throw error
    return token
  }

  signIn(credentials: { email: string; password: string }): Promise<void> {
    return this.#enter('sign-in/email', credentials)
  }

  signUp(account: { name: string; email: string; password: string }): Promise<void> {
    return this.#enter('sign-up/email', account)
  }

  async signOut(): Promise<void> {
    await this.#post('sign-out', {})
    this.#era++
    this.#settle(null, null)
  }

  close(): void {
    this.#subscribers = Number.NEGATIVE_INFINITY
    this.#stopTimer()
  }

  async #enter(path: string, body: object): Promise<void> {
    await this.#post(path, body)
    this.#era++
    this.#isKnown = false
    await this.#load()
    const { error } = this.snapshot()
    if (error !== null) throw error
  }

  async #post(path: string, body: object): Promise<void> {
    try {
      await this.#send('POST', path, body)
    } catch (cause) {
      this.#store.patch({ error: toApiError(cause) })
      throw cause
    }
  }

  async #send(method: string, path: string, body?: object): Promise<unknown> {
    const reply = await this.#http.send(`${method} ${this.#basePath}/${path}`, body)
    return reply.kind === 'value' ? reply.value : null
  }

  #load(): Promise<void> {
    return this.#once('load', async () => {
      const user = toUser(await this.#send('GET', 'get-session'))
      return [user, user && (await this.#access())]
    })
  }

  #renew(): Promise<void> {
    return this.#once('renew', async () => [this.snapshot().user, await this.#access()])
  }

  async #access(): Promise<Access> {
    return toAccess(await this.#send('POST', 'access-token', {}))
  }

  /** Those who ask at the same time share one request. */
  #once(name: string, read: () => Promise<[AuthUser | null, Access | null]>): Promise<void> {
    const era = this.#era
    const key = `${name} ${era}`
    const running =
      this.#running.get(key) ??
      read()
        .then(
          (answer) => era === this.#era && this.#settle(...answer),
          (cause: unknown) => era === this.#era && this.#fail(toApiError(cause)),
        )
        .then(() => void this.#running.delete(key))
    this.#running.set(key, running)
    return running
  }

  #settle(user: AuthUser | null, access: Access | null, error: ApiError | null = null): void {
    this.#isKnown = true
    // A clock that is wrong by minutes must not make every fresh token look old.
    this.#validUntil = Math.max((access?.expiresAt ?? 0) - MARGIN_MS, this.#clock.now() + MARGIN_MS)
    this.#store.patch({ loading: false, user, token: access?.token ?? null, error })
    this.#schedule()
  }

  #fail(error: ApiError): void {
    const isRefusal = error.status >= 400 && error.status < 500 && error.status !== 429
    // Only a refusal says that nobody is signed in; a server that is down says nothing.
    if (isRefusal) this.#settle(null, null, error.status === 401 ? null : error)
    else this.#store.patch({ loading: false, error })
  }

  #schedule(): void {
    this.#stopTimer()
    if (this.#subscribers <= 0 || this.snapshot().user === null) return
    const delay = Math.min(MAX_TIMER_MS, Math.max(0, this.#validUntil - this.#clock.now()))
    this.#stopTimer = this.#clock.after(delay, () => void this.#renew())
  }
}

interface Access {
  token: string
  expiresAt: number
}

function toUser(session: unknown): AuthUser | null {
  const user = isRecord(session) ? session['user'] : null
  return isRecord(user) && typeof user['id'] === 'string' ? (user as unknown as AuthUser) : null
}

function toAccess(answer: unknown): Access {
  const { token, expiresAt } = isRecord(answer) ? answer : {}
  const time =
    typeof expiresAt === 'string' || typeof expiresAt === 'number' ? new Date(expiresAt).getTime() : Number.NaN
  if (typeof token !== 'string' || Number.isNaN(time))
    throw new ApiError('INVALID_RESPONSE', 'The answer to access-token must have token and expiresAt')
  return { token, expiresAt: time }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
