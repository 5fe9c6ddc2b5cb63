import { CommonApiError, type ApiError } from '@sdk/protocol'
import { backoffDelay, toApiError, type HttpClient, type SendOptions } from '@sdk/frontend'
import type { QueryClient } from '@tanstack/react-query'
import { isTemporaryId, OutboxStore, type StoredMutation, type Turn } from './outbox-store.ts'
import { identityOf, type Sdk } from './sdk-context.ts'

/** A mutation that waits for the server, or that the server rejected. */
export interface OutboxItem {
  /** The `Idempotency-Key` of the mutation. */
  readonly id: string
  readonly route: string
  /** The payload passed to `invoke`. */
  readonly input: unknown
  /** The time of the call to `invoke`, in ms since the Unix epoch. */
  readonly createdAt: number
  /** The reason why the server rejected the mutation after a reload of the page, or null if the mutation waits. */
  readonly error: ApiError | null
}

/** The payload of a mutation, with the options of `useAPI` and `invoke`. */
interface MutationRequest extends SendOptions {
  readonly input: unknown
  readonly temporaryId: number
  readonly invalidates?: readonly string[]
}

interface Waiter {
  readonly mutation: StoredMutation
  resolve(data: unknown): void
  reject(reason: unknown): void
}

/** How long after its first attempt a mutation can be repeated: the server keeps responses for a day. */
const EXPIRY_MS = 23 * 3_600_000

/** The time in ms after which an attempt without a response is repeated. */
const ATTEMPT_MS = 60_000

/** The outbox of a user, in this tab. */
export class Outbox {
  /** The clients that send mutations as long as the user is signed in. */
  sdk: Sdk
  #user: string
  #name: string
  #store: OutboxStore
  #tabs: BroadcastChannel
  #items: readonly OutboxItem[] = []
  #listeners = new Set<() => void>()
  /** The callers in this tab, in the order of their mutations. */
  #waiters = new Map<string, Waiter>()
  #adding: Promise<unknown> = Promise.resolve()
  /** The drain that waits for the lock. */
  #queued: Promise<unknown> | undefined
  #isShowing = false
  #wake = (): void => {}

  constructor(name: string, user: string, sdk: Sdk) {
    this.sdk = sdk
    this.#user = user
    this.#name = name
    this.#store = new OutboxStore(name)
    this.#tabs = new BroadcastChannel(name)
    this.#tabs.onmessage = () => {
      this.#wake()
      this.#show()
    }
    addEventListener('online', () => void this.drain())
    this.#show()
  }

  get = (): readonly OutboxItem[] => this.#items
  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Adds a mutation. Resolves with the response of the server, or rejects with its error. */
  async send(route: string, { signal, ...request }: MutationRequest): Promise<unknown> {
    const { temporaryId } = request
    const mutation = { key: crypto.randomUUID(), route, request: JSON.stringify(request), temporaryId }
    // Mutations are added one by one, in the order of the calls.
    const adding = this.#adding.then(() => this.#store.add({ ...mutation, createdAt: Date.now() }))
    this.#adding = adding.catch(() => {})
    const stored = await adding
    const discard = (): void => void this.discard(stored.key)
    signal?.addEventListener('abort', discard)
    if (signal?.aborted) discard()
    void this.drain()
    this.#changed()
    return new Promise((resolve, reject) => this.#waiters.set(stored.key, { mutation: stored, resolve, reject }))
  }

  /** Sends all mutations now, including those that the server rejected. */
  retry = async (): Promise<void> => {
    await this.#store.retry()
    this.#changed()
    void this.drain()
  }

  /** Removes a mutation, or all. */
  discard = async (id?: string): Promise<void> => {
    for (const mutation of await this.#store.list()) {
      if (id !== undefined && id !== mutation.key) continue
      await this.#store.remove(mutation, null)
      this.#settle(mutation, (waiter) => waiter.reject(discarded()))
    }
    this.#changed()
  }

  async list(): Promise<readonly OutboxItem[]> {
    return (await this.#store.list()).map(toItem)
  }

  /**
   * Sends all mutations when this tab gets the lock, or now if it has the lock and waits to send one again. Resolves when
   * no tab has a mutation to send.
   */
  drain(): Promise<unknown> {
    this.#wake()
    return (this.#queued ??= navigator.locks.request(this.#name, async () => {
      // From now on, another call waits for the lock: this one may already have read the queue for the last time.
      this.#queued = undefined
      for (let failures = 0; navigator.onLine && identityOf(this.sdk.client) === this.#user;) {
        const [orphan] = this.#waiters.values()
        const turn = await this.#store.next(orphan?.mutation)
        // Another user may have signed in while the queue was read, and would send the mutation.
        if (turn === null || identityOf(this.sdk.client) !== this.#user) return
        const delay = await this.#attempt(turn, failures++)
        if (!delay) failures = 0
        else await new Promise<void>((resolve) => setTimeout((this.#wake = resolve), delay))
      }
    }))
  }

  /** Sends a mutation. Returns 0 if it has ended, or the delay in ms before the next attempt. */
  async #attempt(turn: Turn, failures: number): Promise<number> {
    const { mutation } = turn
    const { data, error } = await sendMutation(this.sdk.client, turn).then(
      (received) => ({ data: received, error: null }),
      (thrown: unknown) => ({ data: null, error: toApiError(thrown) }),
    )
    if (error === null) {
      const { id } = Object(data) as { id?: unknown }
      await this.#store.remove(mutation, Number(id) || 0)
      if (!this.#settle(mutation, (waiter) => waiter.resolve(data))) refetch(this.sdk, mutation)
    } else {
      if (!isFinal(error)) return Math.max((error.retryAfter ?? 0) * 1_000, backoffDelay(failures, { max: 60_000 }))
      const { code, message, status, details } = error
      // Without a caller in this tab, the error is kept for `useOutbox`, or for the tab of the caller.
      if (this.#settle(mutation, (waiter) => waiter.reject(error))) await this.#store.remove(mutation, null)
      else await this.#store.fail({ ...mutation, error: { code, message, status, details } })
    }
    this.#changed()
    return 0
  }

  /** Returns whether this tab has the caller of a mutation. */
  #settle({ key }: StoredMutation, end: (waiter: Waiter) => void): boolean {
    const waiter = this.#waiters.get(key)
    if (waiter) end(waiter)
    return this.#waiters.delete(key)
  }

  /** Shows a change in all tabs. The tab that waits to send a mutation again does so now. */
  #changed(): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- tabs of other origins do not receive it
    this.#tabs.postMessage(0)
    this.#show()
  }

  /** Updates the view. Reads the queue at most once per 50 ms, since it may be long. */
  #show(): void {
    if (this.#isShowing) return
    this.#isShowing = true
    setTimeout(() => {
      this.#isShowing = false
      void this.list().then((items) => {
        this.#items = items
        for (const listener of this.#listeners) listener()
      })
    }, 50)
  }
}

/** Fetches the routes again that a mutation has changed, since its caller is gone. */
function refetch({ queryClient }: Sdk, { request }: StoredMutation): void {
  const { invalidates } = JSON.parse(request) as MutationRequest
  void (queryClient as QueryClient).invalidateQueries({
    predicate: ({ queryKey }) => invalidates?.includes(queryKey[0] as string) === true,
  })
}

async function sendMutation(client: HttpClient, { mutation, results }: Turn): Promise<unknown> {
  const { attemptedAt = 0, key, route, error } = mutation
  if (error) throw toError(error)
  if (results.get(mutation.temporaryId) === null) throw discarded()
  if (Date.now() - attemptedAt > EXPIRY_MS)
    throw new CommonApiError('OUTBOX_EXPIRED', 'first sent 23 hours ago: the result is unknown')
  const { input, ...options } = JSON.parse(mutation.request, (_name, value: unknown) => {
    const id = isTemporaryId(value) ? results.get(Number(value)) : undefined
    if (id === null)
      throw new CommonApiError('NOT_FOUND', `row ${String(value)} was not created`, {
        status: 404,
      })
    return id ? (typeof value === 'string' ? `${id}` : id) : value
  }) as MutationRequest
  const headers = { ...options.headers, 'Idempotency-Key': key }
  const reply = await client.send(route, input, { timeoutMs: ATTEMPT_MS, ...options, headers, retry: false })
  return reply.kind === 'value' ? reply.value : reply.collect()
}

/** Returns whether another attempt cannot succeed. A mutation of an ended session waits for the next sign-in. */
function isFinal({ status, code }: ApiError): boolean {
  if (code === 'IDEMPOTENCY_KEY_IN_USE') return false
  return /^4(?!01|08|25|29)/.test(`${status}`) || /^OUTBOX|^INVALID/.test(code)
}

function discarded(): ApiError {
  return new CommonApiError('OUTBOX_DISCARDED', 'discarded')
}

function toError({ code, message, ...options }: NonNullable<StoredMutation['error']>): ApiError {
  return new CommonApiError(code, message, options)
}

function toItem({ key, route, request, createdAt, error }: StoredMutation): OutboxItem {
  const { input } = JSON.parse(request) as MutationRequest
  return { id: key, route, input, createdAt, error: error ? toError(error) : null }
}
