import { ApiError, isApiError, toEnvelope } from '@sdk/protocol'
import type { Reply } from './call.ts'
import { errorFields, type Log } from './log.ts'

/** What was thrown, as the error the caller may see. Whatever is not ours is logged whole and shown as a plain 500. */
export function toApiError(thrown: unknown, log: () => Log): ApiError {
  if (isApiError(thrown) && thrown.status >= 400) {
    if (thrown.status >= 500) log().error(`a handler answered ${thrown.code}`, errorFields(thrown))
    return thrown
  }
  log().error('a handler failed', errorFields(thrown))
  return new ApiError('INTERNAL_SERVER_ERROR', 'Something went wrong on our side', { cause: thrown })
}

/** The answer that carries an error. */
export function errorReply(error: ApiError): Reply & { body: string } {
  const headers: Reply['headers'] = { 'content-type': 'application/json', ...lowerCase(error.headers) }
  if (error.retryAfter !== undefined) headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfter)))
  if (error.status === 401) headers['www-authenticate'] ??= 'Bearer'
  return { status: error.status, headers, body: JSON.stringify(toEnvelope(error)) }
}

function lowerCase(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}
