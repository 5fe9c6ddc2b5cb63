import type { RequestAuth } from '@sdk/server'

/** Sessions that are kept at most. */
const MAX_KEPT = 10_000

/** What a cache works with. */
export interface SessionCacheOptions {
  /** How long a session is believed, in ms. */
  readonly keepMs: number
  /** @default Date.now */
  readonly now?: () => number
}

/** The sessions that were read a moment ago. */
export interface SessionCache {
  /** The session that is kept for this key, and of which no change is known; null where none is. */
  find(key: string): RequestAuth | null
  /** The kept one, or what the question finds. Whoever asks meanwhile gets the same answer. */
  get(question: CacheQuestion): Promise<RequestAuth | null>
  /** Forgets these sessions, and all sessions of these users; what is being read now is not kept. */
  clear(ids: ReadonlySet<string>): void
}

/** What a session is asked for by. */
export interface CacheQuestion {
  readonly key: string
  /** When the token that is shown expires, in ms since 1970. */
  readonly until: number
  read(): Promise<RequestAuth | null>
}

interface Kept {
  readonly auth: RequestAuth
  readonly until: number
}

/** Makes an empty cache. */
export function createSessionCache({ keepMs, now = Date.now }: SessionCacheOptions): SessionCache {
  /** In the order in which they were read, which is that in which they get too old. */
  const kept = new Map<string, Kept>()
  const shared = new Map<string, Promise<RequestAuth | null>>()
  /** Of each read that is under way: what changed since it began. */
  const reads = new Set<ReadonlySet<string>[]>()

  function find(key: string): RequestAuth | null {
    const found = kept.get(key)
    return found !== undefined && found.until > now() ? found.auth : null
  }

  function keep({ key, until: end }: CacheQuestion, auth: RequestAuth): void {
    const time = now()
    const until = Math.min(time + keepMs, end, Date.parse(auth.session.expiresAt))
    kept.delete(key)
    kept.set(key, { auth, until })
    for (const [oldest, one] of kept) {
      if (one.until > time && kept.size <= MAX_KEPT) break
      kept.delete(oldest)
    }
  }

  async function readAndKeep(question: CacheQuestion): Promise<RequestAuth | null> {
    const changes: ReadonlySet<string>[] = []
    reads.add(changes)
    try {
      const auth = await question.read()
      // What was read may be older than a change that came meanwhile.
      if (auth !== null && !changes.some((ids) => concerns(ids, auth))) keep(question, auth)
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
      const running = shared.get(key)
      if (running !== undefined) return running
      const reading = readAndKeep(question).finally(() => {
        if (shared.get(key) === reading) shared.delete(key)
      })
      shared.set(key, reading)
      return reading
    },
    clear(ids) {
      for (const [key, { auth }] of kept) if (concerns(ids, auth)) kept.delete(key)
      for (const changes of reads) changes.push(ids)
      // Whoever asks from now on must not get what was read before.
      shared.clear()
    },
  }
}

function concerns(ids: ReadonlySet<string>, { session }: RequestAuth): boolean {
  return ids.has(session.id) || ids.has(session.userId)
}
