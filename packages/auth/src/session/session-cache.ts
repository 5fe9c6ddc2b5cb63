import type { RequestAuth } from '@sdk/server'

const MAX_SESSIONS = 10_000

/** How long the cache remembers that a credential was valid, in ms. */
const KNOWN_MS = 15 * 60_000

/** A cache of sessions that were read recently. */
export interface SessionCache {
  /** Returns the cached session for this key, or null. */
  find(key: string): RequestAuth | null
  /** Returns whether this key recently had a session, even if its cache entry has expired. */
  wasFound(key: string): boolean
  /** Returns the cached session, or reads it; concurrent calls share one read. */
  get(lookup: SessionLookup): Promise<RequestAuth | null>
  /** Removes all sessions with these session or user ids. Pending reads of these sessions are not cached. */
  clear(ids: ReadonlySet<string>): void
}

/** A session lookup. */
export interface SessionLookup {
  readonly key: string
  /** The token's expiry time in ms since the Unix epoch. */
  readonly until: number
  read(): Promise<RequestAuth | null>
}

/** Creates an empty cache that keeps each session for `ttlMs`. */
export function createSessionCache({ ttlMs, now = Date.now }: { ttlMs: number; now?: () => number }): SessionCache {
  /** The sessions in the order in which they were read, which is the order in which they expire. */
  const sessions = new Map<string, { readonly auth: RequestAuth; readonly until: number }>()
  const inFlight = new Map<string, Promise<RequestAuth | null>>()
  /** The changes that have arrived during each pending read. */
  const reads = new Set<ReadonlySet<string>[]>()

  function find(key: string): RequestAuth | null {
    const found = sessions.get(key)
    return found !== undefined && found.until > now() ? found.auth : null
  }

  function store({ key, until: end }: SessionLookup, auth: RequestAuth): void {
    const time = now()
    const until = Math.min(time + ttlMs, end, Date.parse(auth.session.expiresAt))
    sessions.delete(key)
    sessions.set(key, { auth, until })
    for (const [oldest, one] of sessions) {
      if (one.until + KNOWN_MS > time && sessions.size <= MAX_SESSIONS) break
      sessions.delete(oldest)
    }
  }

  async function readAndStore(lookup: SessionLookup): Promise<RequestAuth | null> {
    const changes: ReadonlySet<string>[] = []
    reads.add(changes)
    try {
      const auth = await lookup.read()
      // The result may be older than a change that arrived in the meantime.
      if (auth !== null && !changes.some((ids) => concerns(ids, auth))) store(lookup, auth)
      return auth
    } finally {
      reads.delete(changes)
    }
  }

  return {
    find,
    wasFound(key) {
      const found = sessions.get(key)
      return found !== undefined && found.until + KNOWN_MS > now()
    },
    async get(lookup) {
      const { key } = lookup
      const known = find(key) ?? inFlight.get(key)
      if (known !== undefined) return known
      const reading = readAndStore(lookup).finally(() => {
        if (inFlight.get(key) === reading) inFlight.delete(key)
      })
      inFlight.set(key, reading)
      return reading
    },
    clear(ids) {
      for (const [key, { auth }] of sessions) if (concerns(ids, auth)) sessions.delete(key)
      for (const changes of reads) changes.push(ids)
      // Later calls must not share a read that started before the change.
      inFlight.clear()
    },
  }
}

function concerns(ids: ReadonlySet<string>, { session }: RequestAuth): boolean {
  return ids.has(session.id) || ids.has(session.userId)
}
