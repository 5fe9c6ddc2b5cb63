import type { Schema } from '@sdk/protocol'
import type { User } from '../auth/identity.ts'
import { assertSchemas } from '../schema/assert-schemas.ts'

/** Options for a durable agent. */
export interface DurableOptions {
  /** How long a run is kept after it ends, such as `'30d'`, `'12h'` or `'90m'`. @default '7d' */
  readonly keepFor?: string
  /** The maximum number of times that a step is retried after an error. @default 2 */
  readonly retries?: number
  /** The maximum number of runs that one process executes concurrently. Further runs are queued. @default no limit */
  readonly concurrency?: number
  /**
   * How a new run is handled while its thread has an unfinished one: `reject` responds with 409 `RUN_IN_PROGRESS`,
   * `queue` starts it when the earlier runs have ended, and `replace` cancels the unfinished run.
   * @default 'reject'
   */
  readonly busy?: 'reject' | 'queue' | 'replace'
  /**
   * Returns whether a user other than the owner, such as a supervisor, may see a run and send events to it.
   * @default only the owner has access
   * @example ({ user }) => user?.role === 'supervisor'
   */
  readonly access?: (request: RunAccessRequest) => boolean | Promise<boolean>
}

/** The argument of `durable.access`. */
export interface RunAccessRequest {
  /** The user who wants to see the run, or null if the caller is not signed in. */
  readonly user: User | null
  readonly run: { readonly id: string; readonly userId: string | null }
}

/** The schemas of a durable agent's events, by name. */
export type EventSchemas = Readonly<Record<string, Schema>>

/** The resolved options of a durable agent. */
export interface DurableSettings {
  /** How long a run is kept after it ends, in seconds. */
  readonly keepFor: number
  readonly retries: number
  readonly concurrency: number
  readonly busy: NonNullable<DurableOptions['busy']>
  readonly access: DurableOptions['access'] | undefined
}

const UNITS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }

/** The maximum value of `keepFor`, in seconds (ten years). */
const MAX_KEEP_FOR = 3_650 * 86_400

/** Resolves the `durable` option of an agent. Returns undefined if the agent is not durable. */
export function toDurableSettings(
  name: string,
  durable: boolean | DurableOptions | undefined,
): DurableSettings | undefined {
  if (durable === undefined || durable === false) return undefined
  const subject = `agent ${JSON.stringify(name)}: durable`
  if (durable !== true && (typeof durable !== 'object' || durable === null))
    throw new TypeError(`${subject} must be true or options such as { keepFor: '30d' }, got ${JSON.stringify(durable)}`)
  const {
    keepFor = '7d',
    retries = 2,
    concurrency = Number.POSITIVE_INFINITY,
    busy = 'reject',
    access,
    ...rest
  } = durable === true ? ({} as DurableOptions) : durable
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined)
    throw new TypeError(`${subject} may contain only keepFor, retries, concurrency, busy and access, got ${unknown}`)
  if (concurrency !== Number.POSITIVE_INFINITY && !(Number.isInteger(concurrency) && concurrency >= 1))
    throw new TypeError(`${subject}.concurrency must be an integer of at least 1, got ${String(concurrency)}`)
  if (!['reject', 'queue', 'replace'].includes(busy))
    throw new TypeError(`${subject}.busy must be 'reject', 'queue' or 'replace', got ${JSON.stringify(busy)}`)
  if (access !== undefined && typeof access !== 'function')
    throw new TypeError(`${subject}.access must be a function, got ${typeof access}`)
  return {
    keepFor: parseKeepFor(keepFor, subject),
    retries: assertRetries(retries, `${subject}.retries`),
    concurrency,
    busy,
    access,
  }
}

/** Validates the `events` option of an agent. */
export function assertEvents(name: string, events: EventSchemas | undefined, isDurable: boolean): void {
  const subject = `agent ${JSON.stringify(name)}`
  if (events === undefined) return
  if (!isDurable) throw new TypeError(`${subject}: events must be used with durable: true, since only runs can wait`)
  const wrong = Object.keys(events).find((event) => !/^[a-z][a-zA-Z0-9-]{0,63}$/.test(event))
  if (wrong !== undefined)
    throw new TypeError(
      `${subject}: an event's name must start with a-z and have at most 64 letters, digits and "-", got ${JSON.stringify(wrong)}`,
    )
  assertSchemas(`${subject}: events`, events)
}

/** Returns the number of retries. Throws a `TypeError` if it is invalid. */
export function assertRetries(retries: number, subject: string): number {
  if (Number.isInteger(retries) && retries >= 0 && retries <= 100) return retries
  throw new TypeError(`${subject} must be an integer from 0 to 100, got ${String(retries)}`)
}

/** Parses a duration such as `'30d'`, in seconds. Returns NaN if it is malformed. */
export function parseDuration(text: unknown): number {
  const [, amount, unit = ''] = (typeof text === 'string' && /^(\d{1,9})([smhd])$/.exec(text)) || []
  return Number(amount) * (UNITS[unit] ?? Number.NaN)
}

function parseKeepFor(text: unknown, subject: string): number {
  const seconds = parseDuration(text)
  if (seconds > 0 && seconds <= MAX_KEEP_FOR) return seconds
  throw new TypeError(
    `${subject}.keepFor must be a duration of at most ten years, such as '30d' or '12h', got ${JSON.stringify(text)}`,
  )
}
