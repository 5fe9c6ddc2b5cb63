import { ApiError, isApiError } from '@sdk/protocol'
import { never, type ActiveRun } from '../active-run.ts'
import { limitExceeded } from '../run-error.ts'
import { RUN_LIMITS } from '../run-limits.ts'
import type { RunStore } from '../store/run-store.ts'
import { delay, untilAvailable } from '../run-writer.ts'

const MAX_RETRY_AFTER_S = 3_600

/** Reads from the store. Retries while the store is unavailable, unless the run ends. */
export async function untilRead<T>(run: Pick<ActiveRun, 'isEnding'>, read: () => Promise<T>): Promise<T> {
  const found = await untilAvailable(
    async () => ({ value: await read() }),
    () => !run.isEnding,
  )
  return found === undefined ? never() : found.value
}

/** Waits on behalf of a run, by the clock of the store if tests can advance it. */
export function delayBy(store: Pick<RunStore, 'delay'>, run: string, ms: number): Promise<void> {
  return store.delay?.(run, ms) ?? delay(ms)
}

/** Serializes the value of a step. If that is impossible, the run fails immediately. */
export function serializeValue(value: unknown, name: string, run: ActiveRun): string | null {
  if (value === undefined) return null
  const subject = `the value of the step ${JSON.stringify(name)}`
  const { text, cause } = toJson(value)
  if (text === undefined)
    run.fail(
      new ApiError('INVALID_STEP_VALUE', `${subject} must be JSON, got ${typeof value}: return plain data`, { cause }),
    )
  else if (text.length > RUN_LIMITS.value)
    run.fail(
      limitExceeded(
        `${subject} has more than ${RUN_LIMITS.value} characters of JSON: store it elsewhere and return its key`,
      ),
    )
  return text ?? null
}

function toJson(value: unknown): { readonly text?: string; readonly cause?: unknown } {
  try {
    return { text: JSON.stringify(value) }
  } catch (cause) {
    return { cause } // a bigint or a circular object
  }
}

/** Parses the value of a step. */
export function parseValue(text: string | null): unknown {
  return text === null ? undefined : JSON.parse(text)
}

/** Returns the delay before the next attempt, in ms: the error's `retryAfter`, or exponential backoff with jitter. */
export function retryDelayOf(error: unknown, attempt: number, random: () => number = Math.random): number {
  const named = isApiError(error) ? error.retryAfter : undefined
  if (named !== undefined && named > 0) return Math.min(named, MAX_RETRY_AFTER_S) * 1000
  return Math.min(60_000, 1000 * 2 ** (attempt - 1)) * (0.75 + random() * 0.5)
}

/** Copies data as JSON, so that later changes to it have no effect. */
export function toPlain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null')
}
