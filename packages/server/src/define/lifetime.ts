import { ApiError } from '@sdk/protocol'
import type { Reply } from '../http/reply.ts'

/** What `.resource` takes beside the resource. */
export interface ResourceOptions {
  /** Since when callers should use something else: a date, such as `2026-07-01`. @default never */
  deprecated?: string | Date
  /** When it ends, at least six months after: from then on it is 410. @default never */
  sunset?: string | Date
  /** Where its successor is, such as `/api/v2/tasks`. @default nowhere */
  successor?: string
  /** A page that says what to do. @default none */
  documentation?: string
}

/** How long a resource is offered. */
export interface Lifetime {
  /** The headers of its answers. */
  readonly headers: Readonly<Record<string, string>>
  /** Ms since 1970. */
  readonly ends: number
}

const HALF_A_YEAR = 181 * 86_400_000

/** Reads when a version ends; what cannot be is a `TypeError`. */
export function toLifetime({ deprecated, sunset, successor, documentation }: ResourceOptions): Lifetime | null {
  if (deprecated === undefined) {
    if (sunset !== undefined || successor !== undefined || documentation !== undefined)
      throw new TypeError('say since when it is deprecated, as in { deprecated: "2026-07-01", sunset: "2027-01-01" }')
    return null
  }
  const since = parseDate(deprecated, 'deprecated')
  const ends = sunset === undefined ? Number.POSITIVE_INFINITY : parseDate(sunset, 'sunset')
  if (ends < since + HALF_A_YEAR) throw new TypeError('its sunset must be at least six months after its deprecation')
  const links = [
    ...(successor === undefined ? [] : [`<${assertUrl(successor)}>; rel="successor-version"`]),
    ...(documentation === undefined ? [] : [`<${assertUrl(documentation)}>; rel="deprecation"`]),
  ]
  return {
    ends,
    headers: {
      deprecation: `@${Math.floor(since / 1000)}`,
      ...(Number.isFinite(ends) && { sunset: new Date(ends).toUTCString() }),
      ...(links.length > 0 && { link: links.join(', ') }),
    },
  }
}

/** The error for a version after its end; null: it is still offered. */
export function toGoneError({ headers, ends }: Lifetime, now: number): ApiError | null {
  if (now < ends) return null
  return new ApiError('GONE', `this version of the API ended on ${headers['sunset']}`, { headers })
}

/** An answer, or an error, that tells of the end. */
export function withLifetime<T extends Reply | ApiError>(result: T, { headers }: Lifetime): T {
  const links = [result.headers['link'], headers['link']].flatMap((link) => link ?? [])
  const all = { ...result.headers, ...headers, ...(links.length > 0 && { link: links.join(', ') }) }
  return Object.assign(result, { headers: all })
}

function parseDate(value: string | Date, what: string): number {
  const time = new Date(value).getTime()
  if (Number.isNaN(time)) throw new TypeError(`its ${what} is no date: ${JSON.stringify(value)}`)
  return time
}

function assertUrl(text: string): string {
  if (!/^(?:\/|https?:\/\/)[\x21-\x7e]*$/.test(text) || /[<>"]/.test(text))
    throw new TypeError(`${JSON.stringify(text)} is no path or URL`)
  return text
}
