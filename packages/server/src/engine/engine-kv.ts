/**
 * A key-value store for strings, shared by all processes. Every operation is atomic, and a `ttl` is in seconds. Engines
 * need not validate arguments, because the server calls the store through `checkedKv`.
 */
export interface EngineKv {
  /** Returns the value, or null if it is missing or expired. */
  get(key: string): Promise<string | null>
  /** Sets a value, overwriting any existing one. Without a `ttl`, the value does not expire. */
  set(key: string, value: string, options?: { ttl?: number | undefined }): Promise<void>
  /** Deletes a value. Resolves with whether it existed. */
  delete(key: string): Promise<boolean>
  /**
   * Adds to an integer that starts at 0. Returns the sum, or null if the value is not an integer or the sum is not a
   * safe integer. The `ttl` starts with the first addition; later additions do not extend it.
   */
  increment(key: string, by: number, options?: { ttl?: number | undefined }): Promise<number | null>
  /** Writes only if the current value equals `from`. Resolves with whether the value was written. */
  compareAndSet(key: string, change: CompareAndSet): Promise<boolean>
}

/** An atomic change to a value. */
export interface CompareAndSet {
  /** The expected current value, or null if the key must not exist. */
  readonly from: string | null
  /** The value to write, or null to delete the key. */
  readonly to: string | null
  /** Seconds until the value expires. @default unchanged */
  readonly ttl?: number | undefined
  /**
   * The owner whose limit the value counts toward. If an owner's values exceed `OWNER_LIMIT`, the oldest ones are
   * evicted early. An owned value needs a `ttl`, and its key must not be written again until the value expires.
   * @default none: the value is not evicted
   */
  readonly owner?: string | undefined
}

/** The maximum length of a key, in characters. */
const MAX_KEY_LENGTH = 512

/** The maximum size of a value, in UTF-8 bytes. */
export const MAX_VALUE = 1_048_576

/** The maximum total size of one owner's values, as computed by `ownedSize`. */
export const OWNER_LIMIT = 16_777_216

/** Returns the size of an owned value: the lengths of its key and value, plus an estimated overhead. */
export function ownedSize(key: string, value: string): number {
  return key.length + value.length + 192
}

/** Wraps a store so that invalid writes reject with a TypeError. */
export function checkedKv(kv: EngineKv): EngineKv {
  return {
    get: (key) => kv.get(key),
    async set(key, value, options) {
      checkEntry(key, value)
      checkTtl(options?.ttl)
      return kv.set(key, value, options)
    },
    delete: (key) => kv.delete(key),
    async increment(key, by, options) {
      checkEntry(key, '')
      checkTtl(options?.ttl)
      if (!Number.isSafeInteger(by)) throw new TypeError(`by must be a safe integer, got ${by}`)
      return kv.increment(key, by, options)
    },
    async compareAndSet(key, change) {
      checkEntry(key, change.to ?? '')
      checkTtl(change.ttl)
      return kv.compareAndSet(key, change)
    },
  }
}

/** Returns whether a string is small enough to be a value. */
export function fitsValue(text: string): boolean {
  // A UTF-16 code unit takes at most three bytes in UTF-8, so most strings need not be encoded.
  return (
    text.length <= MAX_VALUE / 3 || (text.length <= MAX_VALUE && new TextEncoder().encode(text).length <= MAX_VALUE)
  )
}

function checkEntry(key: string, value: string): void {
  if (key.length > MAX_KEY_LENGTH)
    throw new TypeError(`a key must have at most ${MAX_KEY_LENGTH} characters, got ${key.length}`)
  if (!fitsValue(value)) throw new TypeError(`the value of ${JSON.stringify(key)} must be at most 1 MiB`)
}

function checkTtl(ttl: number | undefined): void {
  if (ttl !== undefined && !(ttl >= 0.001 && ttl <= 1e10))
    throw new TypeError(`ttl must be from 0.001 to 1e10 seconds, got ${ttl}`)
}
