import { isApiError, type ApiError } from '@sdk/protocol'

/** Registered symbols, so that copies of this package share them. */
const ERROR = Symbol.for('@sdk/response-error')
const FAILURE = Symbol.for('@sdk/response-failure')

/** Attaches the error that a response reports, so that an app can send it in the format of its `formatError`. */
export function attachError<R extends object>(response: R, error: ApiError): R {
  return Object.assign(response, { [ERROR]: error })
}

/** Returns the error that is attached to a response, or undefined if there is none. */
export function attachedError(response: object): ApiError | undefined {
  return readError(response, ERROR)
}

/** Attaches the error that caused a response. If its status is 500 or more, the app logs the error with its cause. */
export function attachFailure<R extends object>(response: R, error: ApiError): R {
  return Object.assign(response, { [FAILURE]: error })
}

/** Returns the error that caused a response, or undefined if there is none. */
export function attachedFailure(response: object): ApiError | undefined {
  return readError(response, FAILURE)
}

function readError(response: object, symbol: symbol): ApiError | undefined {
  const error: unknown = Reflect.get(response, symbol)
  return isApiError(error) ? error : undefined
}
