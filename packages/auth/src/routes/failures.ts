import type { Quota } from '@sdk/server'
import type { AttemptCounters } from './counts.ts'
import { tooMany } from './too-many.ts'

/** Counts what fails, at places that close for a while after too many. */
export interface FailureCounter {
  /** Counts as failed what has not succeeded yet, or throws where the place is closed; gives how to tell the outcome. */
  begin(place: string): Promise<(isFailure: boolean) => Promise<void>>
}

/** What failures are counted with. */
export interface FailureOptions {
  readonly limit: Quota
  readonly counts: AttemptCounters
  readonly now: () => number
}

/** Places where so many may fail. */
export function createFailureCounter({ limit, counts, now }: FailureOptions): FailureCounter {
  return {
    async begin(place) {
      const until = Number(await counts.read(`closed ${place}`))
      if (until > now()) throw tooMany((until - now()) / 1000)
      const failed = await counts.add(`failed ${place}`, 1, limit.window)
      const giveBack = async (): Promise<void> => void (await counts.add(`failed ${place}`, -1, limit.window))
      if (failed > limit.quota) {
        await giveBack()
        throw tooMany(1)
      }
      return async (isFailure) => {
        if (!isFailure) return giveBack()
        // The last one that could fail did: whoever began later was refused, and may have been right.
        if (failed < limit.quota) return
        await counts.write(`closed ${place}`, String(now() + limit.window * 1000), limit.window)
      }
    },
  }
}
