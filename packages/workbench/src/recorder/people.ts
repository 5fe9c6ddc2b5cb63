import type { RequestAuth } from '@sdk/server'
import type { RunIdentity } from '../run.ts'

/** Who the users are that called. */
export interface People {
  /** What is known of a user by now. */
  get(userId: string): RunIdentity
  /** Asks who it is, beside the call, once a user; `then` is called where that told something new. Never throws. */
  ask(auth: RequestAuth, then: () => void): void
}

/** So many users are remembered. */
const MAX_PEOPLE = 1_000

/** So many runs wait for one answer; the others are told by the runs that come later. */
const MAX_WAITING = 100

/** A name is asked for again after so many ms. */
const FRESH = 60_000

interface Known {
  identity: RunIdentity
  askedAt: number
  waiting: (() => void)[] | null
}

/** People who are asked for by the app's own auth. */
export function createPeople(clock: () => number): People {
  const all = new Map<string, Known>()

  return {
    get: (userId) => all.get(userId)?.identity ?? stranger(userId),
    ask(auth, then) {
      const { userId } = auth.session
      const known = all.get(userId)
      if (known !== undefined && clock() - known.askedAt < FRESH) {
        if (known.waiting !== null && known.waiting.length < MAX_WAITING) known.waiting.push(then)
        return
      }
      const asked: Known = { identity: known?.identity ?? stranger(userId), askedAt: clock(), waiting: [then] }
      all.delete(userId)
      all.set(userId, asked)
      if (all.size > MAX_PEOPLE) forgetOldest()
      void answer(auth, asked)
    },
  }

  function forgetOldest(): void {
    for (const userId of all.keys()) {
      all.delete(userId)
      return
    }
  }

  async function answer(auth: RequestAuth, asked: Known): Promise<void> {
    try {
      const { id, email, name } = await auth.getUser()
      asked.identity = { userId: id, email, name }
    } catch {
      // The database does not answer, or the user is gone: the id must do.
    }
    const waiting = asked.waiting ?? []
    asked.waiting = null
    for (const then of waiting) then()
  }
}

function stranger(userId: string): RunIdentity {
  return { userId, email: null, name: null }
}
