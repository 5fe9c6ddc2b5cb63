import { ApiError } from '@sdk/protocol'
import { checkedKv } from './engine-kv.ts'
import type { Engine } from './engine.ts'

/**
 * A small store of JSON that all processes of a service share. Namespaces keep their keys apart.
 * @example await ctx.kv.set('carts', user.id, cart, { ttl: 3600 })
 */
export interface Kv {
  /** The value; null where there is none, or none any more. */
  get<T = unknown>(namespace: string, key: string): Promise<T | null>
  /** Writes a value. */
  set(namespace: string, key: string, value: unknown, options?: KvSetOptions): Promise<void>
  /** Was there anything to delete? */
  delete(namespace: string, key: string): Promise<boolean>
  /** Adds to an integer that begins at 0, and gives the sum. No addition is lost, whoever else adds. */
  increment(namespace: string, key: string, options?: KvIncrementOptions): Promise<number>
  /**
   * Makes a new value of the current one, in one step: `change` is called again when somebody else was faster,
   * so it should do nothing beside. Null deletes; what had a ttl keeps it.
   */
  update<T = unknown>(namespace: string, key: string, change: KvChange<T>): Promise<T | null>
}

/** Options of `kv.set`. */
export interface KvSetOptions {
  /** Seconds until the value is gone. @default it stays */
  ttl?: number | undefined
}

/** Options of `kv.increment`. */
export interface KvIncrementOptions {
  /** The integer to add. @default 1 */
  by?: number | undefined
  /** Seconds until the sum is gone, from its first addition on. @default it stays */
  ttl?: number | undefined
}

/** Gives the next value; null: none. */
export type KvChange<T> = (current: T | null) => T | null | Promise<T | null>

/** How often a change is tried when others are faster. */
const MAX_UPDATE_ATTEMPTS = 100

/** The store of an engine, as handlers have it. */
export function createKv(engine: Pick<Engine, 'kv'>): Kv {
  const kv = checkedKv(engine.kv)
  return {
    async get<T>(namespace: string, key: string) {
      return parseKvValue(await kv.get(toEngineKey(namespace, key))) as T | null
    },
    // oxlint-disable-next-line max-params -- namespace and key are one place
    async set(namespace, key, value, options) {
      await kv.set(toEngineKey(namespace, key), serializeKvValue(value), options)
    },
    async delete(namespace, key) {
      return kv.delete(toEngineKey(namespace, key))
    },
    async increment(namespace, key, { by = 1, ttl } = {}) {
      const sum = await kv.increment(toEngineKey(namespace, key), by, { ttl })
      if (sum !== null) return sum
      throw new TypeError(`${describeKey(namespace, key)} holds no integer, or one that grew too large to add to`)
    },
    async update<T>(namespace: string, key: string, change: KvChange<T>) {
      const name = toEngineKey(namespace, key)
      for (let tries = 0; tries < MAX_UPDATE_ATTEMPTS; tries += 1) {
        const from = await kv.get(name)
        const next = await change(parseKvValue(from) as T | null)
        if (await kv.compareAndSet(name, { from, to: next === null ? null : serializeKvValue(next) })) return next
      }
      throw new ApiError('SERVICE_UNAVAILABLE', `too many change ${describeKey(namespace, key)} at once`, {
        retryAfter: 1,
      })
    },
  }
}

/** The engine's key. A namespace has no slash, so no two places share one. */
function toEngineKey(namespace: string, key: string): string {
  if (!/^[A-Za-z0-9._:-]{1,128}$/.test(namespace))
    throw new TypeError(`a namespace is 1 to 128 of A-Z a-z 0-9 . _ : -, got ${JSON.stringify(namespace)}`)
  if (typeof key !== 'string' || key.length < 1 || key.length > 256 || /\p{Surrogate}/u.test(key))
    throw new TypeError(`a key is a text of 1 to 256 characters, got ${JSON.stringify(key)}`)
  return `kv/${namespace}/${key}`
}

function describeKey(namespace: string, key: string): string {
  return `${JSON.stringify(key)} of ${JSON.stringify(namespace)}`
}

function parseKvValue(text: string | null): unknown {
  return text === null ? null : JSON.parse(text)
}

function serializeKvValue(value: unknown): string {
  const text = JSON.stringify(value, assertJsonMember) as string | undefined
  if (text === undefined) throw new TypeError(`a value is JSON, got ${typeof value}`)
  return text
}

/** What JSON would drop, or turn into null, without a word. Members that are undefined may be dropped. */
function assertJsonMember(member: string, value: unknown): unknown {
  const isLost = typeof value === 'function' || typeof value === 'symbol' || typeof value === 'bigint'
  if (isLost || (typeof value === 'number' && !Number.isFinite(value)))
    throw new TypeError(`a value is JSON, got ${String(value)}${member === '' ? '' : ` as ${JSON.stringify(member)}`}`)
  return value
}
