import type { RequestAuth } from '@sdk/server'
import type { RunIdentity } from '../run.ts'

const MAX_IDENTITIES = 1_000
const CACHE_MS = 60_000

/** How long to wait for a user to load, in ms. After that, only the user's id is shown. */
const TIMEOUT_MS = 1_000

interface CachedIdentity {
  identity: RunIdentity
  readonly loadedAt: number
  /** The pending load, or null once it has finished. */
  loading: Promise<void> | null
}

/**
 * The users who made calls. A user is loaded only when a run is listed or written, since a busy server drops most runs
 * before that.
 */
export class Identities {
  readonly #all = new Map<string, CachedIdentity>()
  readonly #clock: () => number

  constructor(clock: () => number) {
    this.#clock = clock
  }

  get({ session: { userId } }: RequestAuth): RunIdentity {
    return this.#all.get(userId)?.identity ?? { userId, email: null, name: null }
  }

  /** Loads the user, or returns null if the user is already cached. Never rejects, and resolves after a timeout. */
  load(auth: RequestAuth): Promise<void> | null {
    const { userId } = auth.session
    const known = this.#all.get(userId)
    if (known !== undefined && this.#clock() - known.loadedAt < CACHE_MS) return known.loading
    const asked: CachedIdentity = { identity: this.get(auth), loadedAt: this.#clock(), loading: null }
    this.#all.delete(userId)
    this.#all.set(userId, asked)
    const [oldest = userId] = this.#all.keys()
    if (this.#all.size > MAX_IDENTITIES) this.#all.delete(oldest)
    return (asked.loading = withTimeout(readIdentity(auth, asked)).finally(() => {
      asked.loading = null
    }))
  }
}

async function readIdentity(auth: RequestAuth, asked: CachedIdentity): Promise<void> {
  try {
    const { id, email, name } = await auth.getUser()
    asked.identity = { userId: id, email, name }
  } catch {
    // The database is not responding or the user has been deleted, so only the id is shown.
  }
}

async function withTimeout(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, TIMEOUT_MS)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}
