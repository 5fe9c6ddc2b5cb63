/** A rate limit policy: `quota` units per `window` seconds. */
export interface RatePolicy {
  /** The public name of the policy. */
  name: string
  /** The number of units per window. */
  quota: number
  /** The length of the window in seconds. */
  window: number
}

/** The state of a quota: `remaining` units are left, and the next unit is available in `reset` seconds. */
export interface RateState {
  /** The name of the policy. */
  name: string
  /** The number of remaining units. */
  remaining: number
  /** The number of seconds until the next unit is available. */
  reset: number
}

/** Returns the value of the `RateLimit-Policy` header, such as `"default";q=600;w=60`. */
export function toPolicyHeader(policies: readonly RatePolicy[]): string {
  return policies.map(({ name, quota, window }) => `${toStructuredString(name)};q=${quota};w=${window}`).join(', ')
}

/** Returns the value of the `RateLimit` header, such as `"default";r=599;t=1`. */
export function toRateLimitHeader(states: readonly RateState[]): string {
  return states.map(({ name, remaining, reset }) => `${toStructuredString(name)};r=${remaining};t=${reset}`).join(', ')
}

/** Parses the policies in a `RateLimit-Policy` header. Malformed policies are ignored. */
export function fromPolicyHeader(header: string | null | undefined): RatePolicy[] {
  return parseList(header).flatMap(({ name, params }) => {
    const quota = params.get('q')
    const window = params.get('w')
    return quota === undefined || window === undefined ? [] : [{ name, quota, window }]
  })
}

/**
 * Parses the states in a `RateLimit` header. Malformed states are ignored. The parameters `a` and `w` from older drafts
 * are accepted in place of `r` and `t`.
 */
export function fromRateLimitHeader(header: string | null | undefined): RateState[] {
  return parseList(header).flatMap(({ name, params }) => {
    const remaining = params.get('r') ?? params.get('a')
    const reset = params.get('t') ?? params.get('w')
    return remaining === undefined || reset === undefined ? [] : [{ name, remaining, reset }]
  })
}

/** Returns the delay in seconds from a `Retry-After` header (a number or a date), or undefined if it is malformed. */
export function fromRetryAfter(header: string | null | undefined, now: number = Date.now()): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // Date.parse accepts nearly any string, so the HTTP-date format is checked first.
  const date = /^\w+, .* \d\d:\d\d:\d\d GMT$/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

/** Parses the members of a structured list (RFC 9651), with their integer parameters. */
function parseList(header: string | null | undefined): { name: string; params: Map<string, number> }[] {
  if (!header || header.length > 4096) return []
  return (header.match(/(?:"(?:[^"\\]|\\.)*"|[^,])+/g) ?? []).flatMap((member) => {
    const [head = '', ...params] = member.match(/(?:"(?:[^"\\]|\\.)*"|[^;])+/g) ?? []
    const name = parseName(head.trim())
    return name === null ? [] : [{ name, params: new Map(params.flatMap(parseParam)) }]
  })
}

function parseName(text: string): string | null {
  if (/^[A-Za-z*][\w!#$%&'*+.^`|~:/-]*$/.test(text)) return text
  return /^"(?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+"$/.test(text)
    ? text.slice(1, -1).replaceAll(/\\(.)/g, '$1')
    : null
}

function parseParam(text: string): [string, number][] {
  const [, name, value] = /^\s*([a-z])=(\d{1,15})\s*$/.exec(text) ?? []
  return name === undefined ? [] : [[name, Number(value)]]
}

function toStructuredString(name: string): string {
  if (!/^[\x20-\x7e]+$/.test(name))
    throw new TypeError(`a policy name must be printable ASCII, got ${JSON.stringify(name)}`)
  return `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`
}
