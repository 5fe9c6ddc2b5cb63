import type { RequestAuth } from '@sdk/server'
import type { RunIdentity } from '../run.ts'

/** The users who called. They are read only when a run is listed or written; in a busy server, most never are. */
export interface Identities {
  get(auth: RequestAuth): RunIdentity
  /** Reads the user; null where it is known already. Resolves soon, even without an answer, and never rejects. */
  load(auth: RequestAuth): Promise<void> | null
}

const MAX_IDENTITIES = 1_000
const CACHE_MS = 60_000

/** How long to wait for the user, in ms. After it, only the id is shown. */
const TIMEOUT_MS = 1_000

interface CachedIdentity {
  identity: RunIdentity
  readonly loadedAt: number
  /** The read that is under way; null once it has ended. */
  loading: Promise<void> | null
}

/** Reads users through the app's own auth. */
export function createIdentities(clock: () => number): Identities {
  const all = new Map<string, CachedIdentity>()

  return {
    get: ({ session: { userId } }) => all.get(userId)?.identity ?? unknownUser(userId),
    load(auth) {
      const { userId } = auth.session
      const known = all.get(userId)
      if (known !== undefined && clock() - known.loadedAt < CACHE_MS) return known.loading
      const asked: CachedIdentity = {
        identity: known?.identity ?? unknownUser(userId),
        loadedAt: clock(),
        loading: null,
      }
      all.delete(userId)
      all.set(userId, asked)
      if (all.size > MAX_IDENTITIES) forgetOldest()
      return (asked.loading = withTimeout(readIdentity(auth, asked)).finally(() => {
        asked.loading = null
      }))
    },
  }

  function forgetOldest(): void {
    for (const userId of all.keys()) {
      all.delete(userId)
      return
    }
  }
}

async function readIdentity(auth: RequestAuth, asked: CachedIdentity): Promise<void> {
  try {
    const { id, email, name } = await auth.getUser()
    asked.identity = { userId: id, email, name }
  } catch {
    // The database does not answer, or the user is gone: only the id is shown.
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

function unknownUser(userId: string): RunIdentity {
  return { userId, email: null, name: null }
}
