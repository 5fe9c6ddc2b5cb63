import type { ApiError } from '@sdk/protocol'
import type { Context } from '../context/context.ts'
import { assertHeader } from '../http/error-response.ts'
import { MEDIA_TYPE } from '../http/media-type.ts'
import { CONNECTION_HEADERS, type Reply } from '../http/reply.ts'
import { errorFields, type Log } from '../log/log.ts'
import { throttleLog } from '../log/throttle-log.ts'
import { isThenable } from '../platform/and-then.ts'

/** The response to an error, in an app's own format. */
export interface FormattedError {
  /** The status, from 400 to 599. */
  status: number
  /**
   * Additional headers. The error's own headers, such as `Allow` and `Retry-After`, are sent as well. `Content-Length`
   * and connection headers are ignored. @default {}
   */
  headers?: Readonly<Record<string, string>>
  /** The body. A string is sent as text, any other value as JSON. */
  body: unknown
}

/**
 * Converts an error to a response. An unexpected error is a 500 whose `cause` is the thrown value. `ctx` is null if the
 * request could not be parsed. `ctx.route` is empty if no route matches.
 * @example const formatError: FormatError = ({ status, message }) => ({ status, body: { message } })
 */
export type FormatError = (error: ApiError, ctx: Context<unknown, unknown> | null) => FormattedError

/** Replaces the status, the headers and the body of an error reply. Returns the reply unchanged if this fails. */
export type ErrorFormatter = <R extends Reply>(error: ApiError, reply: R, ctx: Context<unknown, unknown> | null) => R

/** Creates an app's error formatter, or returns null without `formatError`. Logs errors that `formatError` throws. */
export function createErrorFormatter(formatError: FormatError | undefined, log: Log): ErrorFormatter | null {
  if (formatError === undefined) return null
  if (typeof formatError !== 'function')
    throw new TypeError(`formatError must be a function, got ${formatError === null ? 'null' : typeof formatError}`)
  const failures = throttleLog(log) // throttled, since a client can cause any number of errors
  return (error, reply, ctx) => {
    try {
      return { ...reply, ...toFormatted(formatError(error, ctx), reply.headers) }
    } catch (thrown) {
      const { code } = error
      const fields = { ...errorFields(thrown), code, requestId: ctx?.requestId, route: ctx?.route }
      failures.error('formatError failed; sending the default error envelope', fields)
      return reply
    }
  }
}

function toFormatted(
  formatted: unknown,
  inherited: Reply['headers'],
): Pick<Reply, 'status' | 'headers'> & { body: string } {
  const { status, headers, body } = assertFormatted(formatted)
  const text: string | undefined = typeof body === 'string' ? body : JSON.stringify(body)
  if (text === undefined)
    throw new TypeError(`formatError must return a body that is serializable as JSON, got ${typeof body}`)
  const all: Reply['headers'] = { ...inherited, 'content-type': typeof body === 'string' ? TEXT : MEDIA_TYPE.json }
  for (const [name, value] of Object.entries(headers ?? {})) {
    const key = name.toLowerCase()
    if (!CONNECTION_HEADERS.includes(key)) all[key] = assertHeader(name, value)
  }
  if (status === 401) all['www-authenticate'] ??= 'Bearer'
  return { status, headers: all, body: text }
}

const TEXT = 'text/plain; charset=utf-8'

function assertFormatted(formatted: unknown): FormattedError {
  if (isThenable(formatted)) {
    formatted.then(undefined, () => {}) // prevents an unhandled rejection
    throw new TypeError('formatError must return { status, body }, got a promise: it cannot be async')
  }
  const { status } = Object(formatted) as Partial<FormattedError>
  if (Number.isInteger(status) && Number(status) >= 400 && Number(status) <= 599) return formatted as FormattedError
  throw new TypeError(`formatError must return a status between 400 and 599, got ${String(status)}`)
}
