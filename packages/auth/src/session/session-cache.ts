import type { RequestAuth } from '@sdk/server'

const MAX_SESSIONS = 10_000

/** Options of `createSessionCache`. */
export interface SessionCacheOptions {
  /** The time in ms that a session is served from the cache. */
  readonly ttlMs: number
  /** @default Date.now */
  readonly now?: () => number
}

/** A cache of sessions that were read recently. */
export interface SessionCache {
  /** Returns the cached session of this key; null where there is none. */
  find(key: string): RequestAuth | null
  /** Returns the cached session, or reads it; concurrent calls share one read. */
  get(question: SessionLookup): Promise<RequestAuth | null>
  /** Removes these sessions and all sessions of these users; reads that are running are not cached. */
  clear(ids: ReadonlySet<string>): void
}

/** A lookup of a session. */
export interface SessionLookup {
  readonly key: string
  /** When the token that is shown expires, in ms since 1970. */
  readonly until: number
  read(): Promise<RequestAuth | null>
}

interface CachedSession {
  readonly auth: RequestAuth
  readonly until: number
}

/** Creates an empty cache. */
export function createSessionCache({ ttlMs: keepMs, now = Date.now }: SessionCacheOptions): SessionCache {
  /** In the order in which they were read, which is that in which they expire. */
  const sessions = new Map<string, CachedSession>()
  const inFlight = new Map<string, Promise<RequestAuth | null>>()
  /** For each running read, the changes since it began. */
  const reads = new Set<ReadonlySet<string>[]>()

  function find(key: string): RequestAuth | null {
    const found = sessions.get(key)
    return found !== undefined && found.until > now() ? found.auth : null
  }

  function store({ key, until: end }: SessionLookup, auth: RequestAuth): void {
    const time = now()
    const until = Math.min(time + keepMs, end, Date.parse(auth.session.expiresAt))
    sessions.delete(key)
    sessions.set(key, { auth, until })
    for (const [oldest, one] of sessions) {
      if (one.until > time && sessions.size <= MAX_SESSIONS) break
      sessions.delete(oldest)
    }
  }

  async function readAndStore(lookup: SessionLookup): Promise<RequestAuth | null> {
    const changes: ReadonlySet<string>[] = []
    reads.add(changes)
    try {
      const auth = await lookup.read()
      // The result may be older than a change that came meanwhile.
      if (auth !== null && !changes.some((ids) => concerns(ids, auth))) store(lookup, auth)
      return auth
    } finally {
      reads.delete(changes)
    }
  }

  return {
    find,
    async get(question) {
      const { key } = question
      const found = find(key)
      if (found !== null) return found
      const running = inFlight.get(key)
      if (running !== undefined) return running
      const reading = readAndStore(question).finally(() => {
        if (inFlight.get(key) === reading) inFlight.delete(key)
      })
      inFlight.set(key, reading)
      return reading
    },
    clear(ids) {
      for (const [key, { auth }] of sessions) if (concerns(ids, auth)) sessions.delete(key)
      for (const changes of reads) changes.push(ids)
      // Later calls must not get what was read before.
      inFlight.clear()
    },
  }
}

function concerns(ids: ReadonlySet<string>, { session }: RequestAuth): boolean {
  return ids.has(session.id) || ids.has(session.userId)
}
