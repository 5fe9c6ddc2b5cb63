'use client'

import type { AuthSource, HttpClient, SendOptions } from '@sdk/frontend'
import { CommonApiError } from '@sdk/protocol'
import { useSyncExternalStore } from 'react'
import { Outbox, type OutboxItem } from './outbox.ts'
import { identityOf, useIdentity, useSdk, type OfflineClient, type QueryClientLike } from './sdk-context.ts'

export type { OutboxItem } from './outbox.ts'

/** The result of `useOutbox`. */
export interface OutboxResult {
  /** The mutations that wait for the server, and those that the server rejected after a reload, in order. */
  items: readonly OutboxItem[]
  /** Sends all mutations now, including those that the server rejected. */
  retry: () => Promise<void>
  /** Removes the mutation with this id, or all. It may already have reached the server. */
  discard: (id?: string) => Promise<void>
}

interface OfflineOptions extends SendOptions {
  offline?: boolean
  concurrency?: string
}

const outboxes = new Map<string, Outbox>()
let current: Outbox | undefined

/**
 * Creates a client whose mutations with `offline: true` wait for the server in IndexedDB. Pass it to `SdkProvider`.
 * @example <SdkProvider offline={offline}><App /></SdkProvider>
 */
export function offline(client: HttpClient, queryClient: QueryClientLike): OfflineClient {
  return Object.assign(Object.create(client) as HttpClient, {
    outbox,
    flush: () => outbox()?.drain(),
    leave,
    send,
    withAuth,
  })

  /** Returns the outbox of the signed-in user. Undefined without a user or a secure context. */
  function outbox(): Outbox | undefined {
    const user = identityOf(client)
    let found: Outbox | undefined
    if (user && navigator.locks) {
      const name = `sdk-outbox ${client.url('/')} ${user}`
      const sdk = { client, queryClient }
      found = outboxes.get(name) ?? new Outbox(name, user, sdk)
      outboxes.set(name, Object.assign(found, { sdk }))
    }
    if (found !== current) void found?.drain() // after a reload or a sign-in
    current = found
    return found
  }

  async function send(route: string, input: unknown, options: OfflineOptions = {}): ReturnType<HttpClient['send']> {
    const found = outbox()
    if (!options.offline || !found) return client.send(route, input, options)
    const isJson = !(input instanceof Object) || [Object, Array].includes(input.constructor as ArrayConstructor)
    if (!isJson || options.concurrency === 'queue')
      throw new TypeError('offline must be used with a JSON payload, and without concurrency: queue')
    const value = await found.send(route, { temporaryId: temporaryId(), ...options, input })
    return { kind: 'value', value, headers: new Headers() }
  }

  async function leave(options: { discard?: boolean } = {}): Promise<void> {
    if (options.discard) await outbox()?.discard()
    else if ((await outbox()?.list())?.length)
      throw new CommonApiError('OUTBOX_NOT_EMPTY', 'mutations wait: pass { discard: true }')
  }

  function withAuth(auth: AuthSource): OfflineClient {
    return offline(client.withAuth(auth), queryClient)
  }
}

/** The number of ids so far. It begins at random, since other tabs create ids at the same time. */
let ids = Math.trunc(Math.random() * 1000)

/**
 * Returns a new negative id, by which later mutations with `offline: true` can name the row that a mutation creates.
 * @example add.invoke({ title: 'Tea' }, { temporaryId: temporaryId() })
 */
export function temporaryId(): number {
  return -(Date.now() * 1000 + (ids++ % 1000))
}

/**
 * Returns the mutations with `offline: true` that wait for the server.
 * @example const { items, retry, discard } = useOutbox()
 */
export function useOutbox(): OutboxResult {
  const { client } = useSdk() as { client: HttpClient & { outbox?(): Outbox | undefined } }
  const { subscribe, get, retry, discard } = (useIdentity(client) && client.outbox?.()) || NO_OUTBOX
  return { items: useSyncExternalStore(subscribe, get, NO_OUTBOX.get), retry, discard }
}

const NO_ITEMS: readonly OutboxItem[] = []
const NO_OUTBOX = {
  get: () => NO_ITEMS,
  subscribe: () => () => {},
  retry: async (): Promise<void> => {},
  discard: async (): Promise<void> => {},
}
