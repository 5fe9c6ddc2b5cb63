import { CommonApiError, isCode, type ApiError, type ApiErrorOptions } from '@sdk/protocol'

/** The codes of errors that the client makes itself; those of a server come with their code. */
const CODE_BY_STATUS: Readonly<Record<number, string>> = {
  0: 'NETWORK_ERROR',
  400: 'INVALID_REQUEST',
  401: 'UNAUTHORIZED',
  413: 'CONTENT_TOO_LARGE',
}

/** Options of `socketError`. */
interface SocketErrorOptions extends ApiErrorOptions {
  /** Taken if it is one. @default that of the status */
  code?: unknown
}

/** An error of a socket, by its status: 0 where the network is to blame. */
export function socketError(status: number, message: string, options: SocketErrorOptions = {}): ApiError {
  const code = isCode(options.code) ? options.code : (CODE_BY_STATUS[status] ?? `HTTP_${status}`)
  return new CommonApiError(code, message, { ...options, status })
}

/** Why a connection was closed: 44xx and 45xx are a status, and their reason is a code and a message; all else is the network. */
export function closeError(close: number, reason = ''): ApiError {
  const status = close >= 4400 && close < 4600 ? close - 4000 : 0
  return socketError(status, reason.replace(/^\w+: /, '') || `closed ${close}`, {
    code: status && reason.split(':')[0],
  })
}

/** Why there is no connection at all: an error may say so itself, else it is one of this status. */
export function thrownError(cause: unknown, status: number): ApiError {
  const isTold = (cause as ApiError | undefined)?.status !== undefined
  return isTold ? (cause as ApiError) : socketError(status, String(cause), { cause })
}
