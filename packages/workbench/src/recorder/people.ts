import type { RequestAuth } from '@sdk/server'
import type { RunIdentity } from '../run.ts'

/** Who the users are that called. They are asked for when a run is put in words: a busy server has many more calls. */
export interface People {
  /** What is known of a caller by now. */
  get(auth: RequestAuth): RunIdentity
  /** Asks who it is; null where that is known. Settles soon, also without an answer, and never rejects. */
  ask(auth: RequestAuth): Promise<void> | null
}

/** So many users are remembered. */
const MAX_PEOPLE = 1_000

/** A name is asked for again after so many ms. */
const FRESH = 60_000

/** So many ms an answer is waited for: then the id must do. */
const PATIENCE = 1_000

interface Known {
  identity: RunIdentity
  readonly askedAt: number
  /** Null once it has settled. */
  asking: Promise<void> | null
}

/** People who are asked for by the app's own auth. */
export function createPeople(clock: () => number): People {
  const all = new Map<string, Known>()

  return {
    get: ({ session: { userId } }) => all.get(userId)?.identity ?? stranger(userId),
    ask(auth) {
      const { userId } = auth.session
      const known = all.get(userId)
      if (known !== undefined && clock() - known.askedAt < FRESH) return known.asking
      const asked: Known = { identity: known?.identity ?? stranger(userId), askedAt: clock(), asking: null }
      all.delete(userId)
      all.set(userId, asked)
      if (all.size > MAX_PEOPLE) forgetOldest()
      return (asked.asking = patiently(answer(auth, asked)).finally(() => {
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
    // The database does not answer, or the user is gone: the id must do.
  }
}

async function patiently(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, PATIENCE)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

function stranger(userId: string): RunIdentity {
  return { userId, email: null, name: null }
}
