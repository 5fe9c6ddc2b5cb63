import { COMMON_STATUS, CommonApiError, isCode, type ApiError, type ErrorCode, type ServerFrame } from '@sdk/protocol'

const COMMON: Readonly<Record<string, number>> = COMMON_STATUS

/** Why a connection was closed: 44xx and 45xx are a status, all else is the network. */
export function closeError(code: number, reason: string): ApiError {
  const status = code >= 4400 && code < 4600 ? code - 4000 : 0
  const name = Object.keys(COMMON).find((key) => COMMON[key] === status)
  return new CommonApiError(name ?? `HTTP_${status}`, `The connection was closed (${code}${reason && `: ${reason}`})`, {
    status,
  })
}

/** Why there is no connection at all; of this code where the error does not say itself what it is. */
export function thrownError(cause: unknown, code: ErrorCode): ApiError {
  const status = (cause as ApiError | undefined)?.status
  return status === undefined ? new CommonApiError(code, String(cause), { cause }) : (cause as ApiError)
}

/** Why a message failed. */
export function frameError({ status, error }: Extract<ServerFrame, { o: 'e' }>): ApiError {
  const { code, message, details } = error
  // The class would throw at a code that is none, or at details that are no list.
  if (!isCode(code) || !Array.isArray(details)) return new CommonApiError('INVALID_RESPONSE', 'A message failed')
  return new CommonApiError(code, message, { status: status ?? COMMON[code] ?? 500, details })
}
