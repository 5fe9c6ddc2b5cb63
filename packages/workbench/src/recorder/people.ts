import type { RequestAuth } from '@sdk/server'
import type { RunIdentity } from '../run.ts'

/** The users who called. They are read only when a run is listed or written; in a busy server, most never are. */
export interface People {
  /** What is known of a caller so far. */
  get(auth: RequestAuth): RunIdentity
  /** Reads the user; null where it is known already. Resolves soon, even without an answer, and never rejects. */
  ask(auth: RequestAuth): Promise<void> | null
}

/** How many users are cached. */
const MAX_PEOPLE = 1_000

/** How long a user is cached, in ms. */
const FRESH = 60_000

/** How long to wait for the user, in ms. After it, only the id is shown. */
const TIMEOUT_MS = 1_000

interface Known {
  identity: RunIdentity
  readonly askedAt: number
  /** The read that is under way; null once it has ended. */
  asking: Promise<void> | null
}

/** Reads users through the app's own auth. */
export function createPeople(clock: () => number): People {
  const all = new Map<string, Known>()

  return {
    get: ({ session: { userId } }) => all.get(userId)?.identity ?? unknownUser(userId),
    ask(auth) {
      const { userId } = auth.session
      const known = all.get(userId)
      if (known !== undefined && clock() - known.askedAt < FRESH) return known.asking
      const asked: Known = { identity: known?.identity ?? unknownUser(userId), askedAt: clock(), asking: null }
      all.delete(userId)
      all.set(userId, asked)
      if (all.size > MAX_PEOPLE) forgetOldest()
      return (asked.asking = withTimeout(answer(auth, asked)).finally(() => {
        asked.asking = null
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

async function answer(auth: RequestAuth, asked: Known): Promise<void> {
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
