/** The limits of a run. Sizes are in characters of JSON. */
export const RUN_LIMITS = {
  /** The maximum size of an input, an event or a step's value. */
  value: 1_048_576,
  /** The maximum size of the `ask` of a wait. */
  ask: 65_536,
  /** The maximum number of events. */
  events: 1_000,
  /** The maximum size of all events. */
  eventsSize: 16_777_216,
  /** The maximum number of steps. */
  steps: 10_000,
  /** The maximum size of a chunk. */
  chunk: 262_144,
  /** The maximum size of all chunks. */
  chunks: 67_108_864,
  /** The size at which a page of a list of runs ends, even if it has fewer runs than requested. */
  list: 4_194_304,
  /** The maximum number of unfinished runs per caller. */
  unfinished: 1_000,
  /** The maximum duration of a sleep, in ms (one year). */
  sleep: 31_622_400_000,
  /** The number of takeovers after which a run fails, unless a step has finished in between. */
  crashes: 5,
} as const

/**
 * The number of crashes after which runs are executed only a few at a time, and one at a time after one more. The others
 * then do not fail together with the run that crashes its processes.
 */
export const SUSPECT_CRASHES = 2

/** The maximum number of chunks in a stored page. Stores use it to find the page that contains a position. */
export const MAX_PAGE_CHUNKS = 1_000

/** The size at which a page is full. Further chunks go into the next page. */
export const PAGE_SIZE_LIMIT = 524_288

/** The prefix of keys that were passed to `start`. The header `Idempotency-Key` cannot contain it. */
export const START_KEY_PREFIX = '\n'

/** The maximum length of a value that is read together with all steps or events of a run. */
export const INLINE_SIZE = 256
