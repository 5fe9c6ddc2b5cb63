import { isApiError, type ApiError } from '@sdk/protocol'

/** A registered symbol, so that copies of this package share it. */
const ERROR = Symbol.for('@sdk/response-error')

/** Attaches the error that a response reports, so that an app can send it in the format of its `formatError`. */
export function attachError<R extends object>(response: R, error: ApiError): R {
  return Object.assign(response, { [ERROR]: error })
}

/** Returns the error that is attached to a response, or undefined if there is none. */
export function attachedError(response: object): ApiError | undefined {
  const error: unknown = Reflect.get(response, ERROR)
  return isApiError(error) ? error : undefined
}
