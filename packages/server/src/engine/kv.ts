import { ApiError } from '@sdk/protocol'
import { checkedKv } from './engine-kv.ts'
import type { Engine } from './engine.ts'

/**
 * A small key-value store for JSON values, shared by all processes of a service. Each namespace has its own keys.
 * @example await ctx.kv.set('carts', user.id, cart, { ttl: 3600 })
 */
export interface Kv {
  /** Returns the value, or null if it is missing or expired. */
  get<T = unknown>(namespace: string, key: string): Promise<T | null>
  /** Sets a value. */
  set(namespace: string, key: string, value: unknown, options?: KvSetOptions): Promise<void>
  /** Deletes a value. Resolves with whether it existed. */
  delete(namespace: string, key: string): Promise<boolean>
  /**
   * Adds to an integer that starts at 0, and returns the sum. Additions are atomic, so concurrent additions are not
   * lost.
   */
  increment(namespace: string, key: string, options?: KvIncrementOptions): Promise<number>
  /**
   * Atomically replaces the current value with the result of `change`, and returns that result. `change` is called
   * again if the value was changed concurrently, so it should have no side effects. If it returns null, the value is
   * deleted. An existing ttl is kept.
   */
  update<T = unknown>(namespace: string, key: string, change: KvChange<T>): Promise<T | null>
}

/** Options for `kv.set`. */
export interface KvSetOptions {
  /** Seconds until the value expires. @default it does not expire */
  ttl?: number | undefined
}

/** Options for `kv.increment`. */
export interface KvIncrementOptions {
  /** The integer to add. @default 1 */
  by?: number | undefined
  /** Seconds from the first addition until the sum expires. @default it does not expire */
  ttl?: number | undefined
}

/** A function that returns the new value, or null to delete the current one. */
export type KvChange<T> = (current: T | null) => T | null | Promise<T | null>

/** The maximum number of attempts to update a value that is changed concurrently. */
const MAX_UPDATE_ATTEMPTS = 100

/** Creates the key-value store that handlers use, on top of an engine. */
export function createKv(engine: Pick<Engine, 'kv'>): Kv {
  const kv = checkedKv(engine.kv)
  return {
    async get<T>(namespace: string, key: string) {
      return parseKvValue(await kv.get(toEngineKey(namespace, key))) as T | null
    },
    // oxlint-disable-next-line max-params -- namespace and key form one identifier
    async set(namespace, key, value, options) {
      await kv.set(toEngineKey(namespace, key), serializeKvValue(value), options)
    },
    async delete(namespace, key) {
      return kv.delete(toEngineKey(namespace, key))
    },
    async increment(namespace, key, { by = 1, ttl } = {}) {
      const sum = await kv.increment(toEngineKey(namespace, key), by, { ttl })
      if (sum !== null) return sum
      throw new TypeError(`${describeKey(namespace, key)} is not an integer, or is too large to increment`)
    },
    async update<T>(namespace: string, key: string, change: KvChange<T>) {
      const name = toEngineKey(namespace, key)
      for (let tries = 0; tries < MAX_UPDATE_ATTEMPTS; tries += 1) {
        const from = await kv.get(name)
        const next = await change(parseKvValue(from) as T | null)
        if (await kv.compareAndSet(name, { from, to: next === null ? null : serializeKvValue(next) })) return next
      }
      throw new ApiError('SERVICE_UNAVAILABLE', `too many concurrent updates to ${describeKey(namespace, key)}`, {
        retryAfter: 1,
      })
    },
  }
}

/** Returns the key that the engine uses. It is unique, because a namespace cannot contain a slash. */
function toEngineKey(namespace: string, key: string): string {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(namespace))
    throw new TypeError(
      `a namespace must have 1 to 128 characters from A-Z, a-z, 0-9 and "._:-", got ${JSON.stringify(namespace)}`,
    )
  if (typeof key !== 'string' || key.length < 1 || key.length > 256 || /\p{Surrogate}/u.test(key))
    throw new TypeError(
      `a key must be a string of 1 to 256 characters without lone surrogates, got ${JSON.stringify(key)}`,
    )
  return `kv/${namespace}/${key}`
}

function describeKey(namespace: string, key: string): string {
  return `${JSON.stringify(key)} in namespace ${JSON.stringify(namespace)}`
}

function parseKvValue(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

function serializeKvValue(value: unknown): string {
  const text = JSON.stringify(value, assertJsonMember) as string | undefined
  if (text === undefined) throw new TypeError(`a value must be serializable as JSON, got ${typeof value}`)
  return text
}

/** Throws if JSON would silently drop a value or turn it into null. Undefined members may be dropped. */
function assertJsonMember(member: string, value: unknown): unknown {
  const isLost = typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
  if (isLost || (typeof value === 'number' && !Number.isFinite(value))) {
    const place = member === '' ? '' : ` at ${JSON.stringify(member)}`
    throw new TypeError(`a value must be serializable as JSON, got ${String(value)}${place}`)
  }
  return value
}
