import { ApiError, isApiError, toEnvelope } from '@sdk/protocol'
import { prefers } from './accept.ts'
import type { Reply } from './reply.ts'
import { MEDIA_TYPE } from './media-type.ts'
import { errorFields, type Log } from '../log/log.ts'

/**
 * Converts a thrown value to the error that the client sees. A value that is not an `ApiError` is logged in full and
 * becomes a 500 without details. If `signal` is given, an abort caused by a disconnect is not logged as a failure.
 */
export function toApiError(thrown: unknown, log: () => Log, signal?: () => AbortSignal): ApiError {
  if (isApiError(thrown) && thrown.status >= 400) {
    if (thrown.status >= 500 && !logged.has(thrown)) {
      log().error(`handler failed with ${thrown.code}`, errorFields(thrown))
      logged.add(thrown)
    }
    return thrown
  }
  if (thrown instanceof Error && thrown.name === 'AbortError' && signal?.().aborted === true)
    log().debug('handler aborted: client disconnected', errorFields(thrown))
  else log().error('handler failed', errorFields(thrown))
  const error = new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side', { cause: thrown })
  logged.add(error)
  return error
}

/** The errors that have been logged. An error of a nested call also reaches the outer request. */
const logged = new WeakSet<Error>()

/** Marks an error as logged, such as the stored error of a run, and returns it. */
export function markLogged(error: ApiError): ApiError {
  logged.add(error)
  return error
}

/**
 * Returns whether an error affects all clients, for example because a database is unavailable. Such errors are logged
 * with `throttleLog`.
 */
export function isOutage(thrown: unknown): boolean {
  return isApiError(thrown) && thrown.status === 503
}

/** The reply for an error. */
export type ErrorReply = Reply & { body: string }

/**
 * Creates the reply for an error. The body is the error envelope. If `Accept` prefers problem details, the RFC 9457
 * members are added to it.
 */
export function errorReply(error: ApiError, accept: string | null = null): ErrorReply {
  const isProblem = prefers(accept, MEDIA_TYPE.problem, MEDIA_TYPE.json)
  if (!(error.status >= 400 && error.status <= 599))
    throw new TypeError(`the status of an error must be between 400 and 599, got ${error.status}`)
  const headers: Reply['headers'] = { 'content-type': isProblem ? MEDIA_TYPE.problem : MEDIA_TYPE.json }
  for (const name in error.headers) headers[name.toLowerCase()] = assertHeader(name, error.headers[name])
  if (error.retryAfter !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfter)))
  if (error.status === 401) headers['www-authenticate'] ??= 'Bearer'
  const body = JSON.stringify(isProblem ? toProblemDetails(error) : toEnvelope(error))
  return { status: error.status, headers, body }
}

/** Returns the value of a header that an error sets. Throws if the name or the value is invalid. */
export function assertHeader(name: string, value: unknown): string {
  if (typeof value === 'string' && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) && /^[\w!#$%&'*+.^`|~-]+$/.test(name))
    return value
  throw new TypeError(`the error header ${name} is invalid: ${JSON.stringify(value)}`)
}

function toProblemDetails(error: ApiError): object {
  const { status, code, message } = error
  const words = code.toLowerCase().replaceAll('_', ' ')
  const title = words.charAt(0).toUpperCase() + words.slice(1)
  return { type: 'about:blank', title, status, detail: message, ...toEnvelope(error) }
}
