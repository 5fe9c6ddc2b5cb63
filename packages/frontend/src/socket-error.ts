import { COMMON_STATUS, CommonApiError, type ApiError, type ServerFrame } from '@sdk/protocol'

/** Why a connection was closed: 44xx and 45xx are a status, all else is the network. */
export function closeError(code: number, reason: string): ApiError {
  const status = code >= 4400 && code < 4600 ? code - 4000 : 0
  const [name = `HTTP_${status}`] = Object.entries(COMMON_STATUS).find(([, known]) => known === status) ?? []
  return new CommonApiError(name, `The connection was closed (${code}${reason && `: ${reason}`})`, { status })
}

/** Why there is no connection at all. What has no status is a fault on our side: it would fail again. */
export function thrownError(cause: unknown): ApiError {
  const { status } = cause as ApiError
  return status === undefined ? new CommonApiError('INVALID_REQUEST', String(cause), { cause }) : (cause as ApiError)
}

/** Why a message failed. */
export function frameError({ status, error }: Extract<ServerFrame, { o: 'e' }>): ApiError {
  const { code, message, details } = error
  try {
    const known: Readonly<Record<string, number>> = COMMON_STATUS
    return new CommonApiError(code, message, { status: status ?? known[code] ?? 500, details })
  } catch (cause) {
    return new CommonApiError('INVALID_RESPONSE', 'A message failed', { cause })
  }
}
