import type { RequestAuth } from '@sdk/server'

/** Sessions that are kept at most. */
const MAX_SESSIONS = 10_000

/** What a cache works with. */
export interface SessionCacheOptions {
  /** How long a session is believed, in ms. */
  readonly ttlMs: number
  /** @default Date.now */
  readonly now?: () => number
}

/** The sessions that were read a moment ago. */
export interface SessionCache {
  /** The session that is kept for this key, and of which no change is known; null where none is. */
  find(key: string): RequestAuth | null
  /** The kept one, or what the question finds. Whoever asks meanwhile gets the same answer. */
  get(question: SessionLookup): Promise<RequestAuth | null>
  /** Forgets these sessions, and all sessions of these users; what is being read now is not kept. */
  clear(ids: ReadonlySet<string>): void
}

/** What a session is asked for by. */
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

/** Makes an empty cache. */
export function createSessionCache({ ttlMs: keepMs, now = Date.now }: SessionCacheOptions): SessionCache {
  /** In the order in which they were read, which is that in which they get too old. */
  const sessions = new Map<string, CachedSession>()
  const inFlight = new Map<string, Promise<RequestAuth | null>>()
  /** Of each read that is under way: what changed since it began. */
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
      // What was read may be older than a change that came meanwhile.
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
      // Whoever asks from now on must not get what was read before.
      inFlight.clear()
    },
  }
}

function concerns(ids: ReadonlySet<string>, { session }: RequestAuth): boolean {
  return ids.has(session.id) || ids.has(session.userId)
}
