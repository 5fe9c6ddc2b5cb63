import { ApiError } from '@sdk/protocol'

/** The error for what was tried too often, and may be tried again in so many seconds. */
export function tooMany(seconds: number): ApiError {
  const retryAfter = Math.max(1, Math.ceil(seconds))
  return new ApiError('TOO_MANY_REQUESTS', `Too many attempts; try again in ${retryAfter} s`, { retryAfter })
}
