/** The position of a request in a trace, from the `traceparent` header: https://www.w3.org/TR/trace-context/ */
export interface TraceParent {
  /** The trace id, as 32 hexadecimal digits. */
  readonly traceId: string
  /** The id of the caller's span, as 16 hexadecimal digits. */
  readonly parentId: string
  /** Whether the caller recorded its part of the trace. */
  readonly isSampled: boolean
  /** Whether at least the last 7 bytes of the trace id are random. This flag is from Trace Context Level 2. */
  readonly isRandom: boolean
}

const SAMPLED = 1
const RANDOM = 2

const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/**
 * Parses `traceparent`, or returns null if it is missing or invalid. For a later version, only the known part is read.
 */
export function parseTraceparent(header: string | null): TraceParent | null {
  const match = header === null ? null : TRACEPARENT.exec(header)
  if (match === null) return null
  const [, version = '', traceId = '', parentId = '', flags = '', more] = match
  if (version === '00' && more !== undefined) return null
  const bits = Number.parseInt(flags, 16)
  return { traceId, parentId, isSampled: (bits & SAMPLED) !== 0, isRandom: (bits & RANDOM) !== 0 }
}

const MAX_STATE = 512
const MAX_MEMBERS = 32
/** Members longer than this are removed first if `tracestate` is too long. */
const LONG_MEMBER = 128

const TRACESTATE_KEY = /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})$/
const TRACESTATE_VALUE = /^[\x20-\x2B\x2D-\x3C\x3E-\x7E]{0,255}[\x21-\x2B\x2D-\x3C\x3E-\x7E]$/

/**
 * Parses `tracestate` and returns at most 512 characters to propagate. Returns null if it is missing, empty or invalid.
 */
export function parseTracestate(header: string | null): string | null {
  if (header === null) return null
  const members = header.split(',').map((member) => member.trim())
  const present = members.filter((member) => member !== '')
  const isValid = present.length <= MAX_MEMBERS && present.every(isMember)
  return isValid && present.length > 0 ? shorten(withoutRepeats(present)) : null
}

/** Removes duplicate keys. The first member with a key is the newest. */
function withoutRepeats(members: readonly string[]): string[] {
  const newest = new Map<string, string>()
  for (const member of members) {
    const key = member.slice(0, member.indexOf('='))
    if (!newest.has(key)) newest.set(key, member)
  }
  return Array.from(newest.values())
}

function isMember(member: string): boolean {
  const at = member.indexOf('=')
  return TRACESTATE_KEY.test(member.slice(0, Math.max(0, at))) && TRACESTATE_VALUE.test(member.slice(at + 1))
}

/** Removes members until the rest fits: long members first, then the oldest, which are at the end. */
function shorten(members: readonly string[]): string | null {
  const kept = [...members]
  while (kept.join(',').length > MAX_STATE) {
    const long = kept.findLastIndex((member) => member.length > LONG_MEMBER)
    kept.splice(long === -1 ? kept.length - 1 : long, 1)
  }
  return kept.length === 0 ? null : kept.join(',')
}

/** The trace of a request. Its values are parsed or created on first access. */
export interface Trace {
  /** The caller's trace id, or a new one. */
  readonly traceId: string
  /** The id of this request's span. */
  readonly spanId: string
  /** The caller's `traceparent`, or null if it is missing or invalid. */
  readonly parent: TraceParent | null
  /** The state of other tracing systems, to be propagated. */
  readonly tracestate: string | null
  /** The `traceparent` header for outgoing requests. */
  readonly traceparent: string
  /** Returns the trace id if it already exists, for example for a log line. Does not create a new id. */
  knownId(): string | null
}

/** Continues the caller's trace, or starts a new one when the trace id is first read. */
export function continueTrace(traceparent: string | null, tracestate: string | null): Trace {
  return new LazyTrace(traceparent, tracestate)
}

class LazyTrace implements Trace {
  readonly #traceparent: string | null
  readonly #tracestate: string | null
  #parent: TraceParent | null | undefined
  #traceId: string | undefined
  #spanId: string | undefined

  constructor(traceparent: string | null, tracestate: string | null) {
    this.#traceparent = traceparent
    this.#tracestate = tracestate
  }

  get parent(): TraceParent | null {
    return this.#parent === undefined ? (this.#parent = parseTraceparent(this.#traceparent)) : this.#parent
  }

  // In Node, generating a UUID is ten times as fast as generating other random bytes. Its version digit is never 0, so
  // the id is never all zeros, which would be invalid. Its last 7 bytes are random.
  get traceId(): string {
    return (this.#traceId ??= this.parent?.traceId ?? crypto.randomUUID().replaceAll('-', ''))
  }

  get spanId(): string {
    if (this.#spanId === undefined) {
      const uuid = crypto.randomUUID()
      this.#spanId = uuid.slice(0, 8) + uuid.slice(14, 18) + uuid.slice(-4)
    }
    return this.#spanId
  }

  /** The propagated state, or null if there is no valid parent: the state would then belong to an unknown trace. */
  get tracestate(): string | null {
    return this.parent === null ? null : parseTracestate(this.#tracestate)
  }

  /** The header for outgoing requests. A trace that starts with this request is not sampled. */
  get traceparent(): string {
    const { isSampled, isRandom } = this.parent ?? { isSampled: false, isRandom: true }
    return `00-${this.traceId}-${this.spanId}-0${(isSampled ? SAMPLED : 0) | (isRandom ? RANDOM : 0)}`
  }

  knownId(): string | null {
    return this.#traceId ?? this.parent?.traceId ?? null
  }
}
