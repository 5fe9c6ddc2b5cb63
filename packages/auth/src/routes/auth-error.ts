import { ApiError, codeOfStatus, type ErrorDetail, type ErrorEnvelope, invalidRequest, isCode } from '@sdk/protocol'
import { isAPIError } from 'better-auth/api'
import { toIssueDetails } from './auth-issues.ts'

/** Converts an error thrown by Better Auth to an `ApiError`. Returns unexpected errors unchanged. */
export function toAuthError(error: unknown, body: Readonly<Record<string, unknown>> = {}): unknown {
  if (!isAPIError(error) || error.statusCode >= 500) return error
  const { statusCode: status } = error
  const members = { ...error.body }
  const { code, message, details } = toErrorBody(members, { status, details: toIssueDetails(members, body) })
  return new ApiError(code, message, { status, details, cause: error })
}

/** The message if the query of the login or consent page of an OAuth client is not valid any longer. */
const AUTHORIZATION_EXPIRED = 'The authorization request has expired or was changed: connect the client again'

/** Converts the members of a Better Auth error to the error in an envelope. */
export function toErrorBody(
  { code: given, message, error, error_description: description }: Readonly<Record<string, unknown>>,
  { status, details = [] }: { status: number; details?: ErrorDetail[] | undefined },
): ErrorEnvelope['error'] {
  const isText = (text: unknown): text is string => typeof text === 'string' && text !== ''
  const expired = error === 'invalid_signature' ? AUTHORIZATION_EXPIRED : undefined
  const said = [message, description, expired].find(isText) ?? `The auth routes responded with ${status}`
  const shown = isMalformed(given) && details.length > 0 ? invalidRequest(details).message : said
  return { code: toCode(status, given), message: shown, details }
}

/**
 * Returns Better Auth's code, which is more specific than the status. If there is none, or if the request is malformed,
 * returns the code for the status.
 */
function toCode(status: number, code: unknown): string {
  return isCode(code) && !isMalformed(code) ? code : codeOfStatus(status)
}

function isMalformed(code: unknown): boolean {
  return code === 'VALIDATION_ERROR' || code === 'MISSING_FIELD'
}
