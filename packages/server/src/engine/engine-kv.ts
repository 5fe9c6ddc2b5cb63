/**
 * Texts by key that all processes share; every step is atomic. A `ttl` is in seconds. An engine may
 * trust its arguments: the server asks through `checkedKv`.
 */
export interface EngineKv {
  /** The value; null where there is none, or none any more. */
  get(key: string): Promise<string | null>
  /** Writes, whatever was there. Without a `ttl` the value stays. */
  set(key: string, value: string, options?: { ttl?: number | undefined }): Promise<void>
  /** Was there anything to delete? */
  delete(key: string): Promise<boolean>
  /**
   * Adds to an integer that begins at 0, and gives the sum; null where the value is no integer, or the sum no
   * safe one. The `ttl` counts from the first addition; later ones leave the end as it is.
   */
  increment(key: string, by: number, options?: { ttl?: number | undefined }): Promise<number | null>
  /** Writes only where the value is what was expected. Did it? */
  compareAndSet(key: string, change: CompareAndSet): Promise<boolean>
}

/** A change that is made in one step, or not at all. */
export interface CompareAndSet {
  /** The value that must be there; null: none. */
  readonly from: string | null
  /** The value to write; null: delete. */
  readonly to: string | null
  /** Seconds until it ends. @default what it had */
  readonly ttl?: number | undefined
  /**
   * Whom it counts for: where an owner has more than `OWNER_LIMIT`, its oldest values go before their end. It has a
   * `ttl`, and until that is over nothing else is written under its key.
   * @default nobody's: it stays
   */
  readonly owner?: string | undefined
}

/** Characters that a key may have. */
const MAX_KEY_LENGTH = 512

/** Bytes of UTF-8 that a value may have. */
export const MAX_VALUE = 1_048_576

/** How much of one owner is kept, as `ownedSize` counts it. */
export const OWNER_LIMIT = 16_777_216

/** What a value counts for its owner: its characters and those of its key, and about what it takes to keep it. */
export function ownedSize(key: string, value: string): number {
  return key.length + value.length + 192
}

/** The same store, which refuses with a TypeError what no engine must take. */
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
      if (!Number.isSafeInteger(by)) throw new TypeError(`only a safe integer can be added, got ${by}`)
      return kv.increment(key, by, options)
    },
    async compareAndSet(key, change) {
      checkEntry(key, change.to ?? '')
      checkTtl(change.ttl)
      return kv.compareAndSet(key, change)
    },
  }
}

/** Is this text short enough to be a value? */
export function fitsValue(text: string): boolean {
  // A character is at most three bytes, so most texts need not be encoded to know.
  return (
    text.length <= MAX_VALUE / 3 || (text.length <= MAX_VALUE && new TextEncoder().encode(text).length <= MAX_VALUE)
  )
}

function checkEntry(key: string, value: string): void {
  if (key.length > MAX_KEY_LENGTH)
    throw new TypeError(`a key has at most ${MAX_KEY_LENGTH} characters, got ${key.length}`)
  if (!fitsValue(value)) throw new TypeError(`a value has at most 1 MiB, got more at ${JSON.stringify(key)}`)
}

function checkTtl(ttl: number | undefined): void {
  if (ttl !== undefined && !(ttl >= 0.001 && ttl <= 1e10))
    throw new TypeError(`ttl is a number of seconds above 0, got ${ttl}`)
}
