import { ApiError } from '@sdk/protocol'
import type { Reply } from '../http/reply.ts'

/** Options for `.resource`. */
export interface ResourceOptions {
  /** The deprecation date, such as `2026-07-01`. @default never */
  deprecated?: string | Date
  /** The date from which requests are rejected with 410, at least six months after the deprecation. @default never */
  sunset?: string | Date
  /** The path or URL of the successor, such as `/api/v2/tasks`. @default none */
  successor?: string
  /** The path or URL of a migration guide. @default none */
  documentation?: string
}

/** The deprecation and sunset of a resource. */
export interface Lifetime {
  /** The headers added to the resource's responses. */
  readonly headers: Readonly<Record<string, string>>
  /** The time of the sunset, in ms since the Unix epoch, or `Infinity` if there is no sunset. */
  readonly ends: number
}

const HALF_A_YEAR = 181 * 86_400_000

/**
 * Converts resource options to a lifetime. Returns null if the resource is not deprecated, and throws a `TypeError` if
 * the options are invalid.
 */
export function toLifetime({ deprecated, sunset, successor, documentation }: ResourceOptions): Lifetime | null {
  if (deprecated === undefined) {
    if (sunset !== undefined || successor !== undefined || documentation !== undefined)
      throw new TypeError(
        'deprecated is required if another option is set, as in { deprecated: "2026-07-01", sunset: "2027-01-01" }',
      )
    return null
  }
  const since = parseDate(deprecated, 'deprecated')
  const ends = sunset === undefined ? Number.POSITIVE_INFINITY : parseDate(sunset, 'sunset')
  if (ends < since + HALF_A_YEAR) throw new TypeError('sunset must be at least six months after deprecated')
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

/** Returns the error for requests after the sunset, or null before the sunset. */
export function toGoneError({ headers, ends }: Lifetime, now: number): ApiError | null {
  if (now < ends) return null
  return new ApiError('GONE', `this API version was retired on ${headers['sunset']}`, { headers })
}

/** Adds the deprecation headers to a reply or an error. */
export function withLifetime<T extends Reply | ApiError>(result: T, { headers }: Lifetime): T {
  const links = [result.headers['link'], headers['link']].flatMap((link) => link ?? [])
  const all = { ...result.headers, ...headers, ...(links.length > 0 && { link: links.join(', ') }) }
  return Object.assign(result, { headers: all })
}

function parseDate(value: string | Date, what: string): number {
  const time = new Date(value).getTime()
  if (Number.isNaN(time)) throw new TypeError(`${what} must be a date, got ${JSON.stringify(value)}`)
  return time
}

function assertUrl(text: string): string {
  if (!/^(?:\/|https?:\/\/)[\x21-\x7e]*$/.test(text) || /[<>"]/.test(text))
    throw new TypeError(`successor and documentation must each be a path or a URL, got ${JSON.stringify(text)}`)
  return text
}
