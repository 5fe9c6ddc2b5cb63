/** Shows how to handle an `ApiError`: its code identifies the error, and `explain` adds what the user can do. */
import { isApiError } from '@sdk/react'

/** Returns why something failed and what the user can do about it. */
export function explain(error: unknown): string {
  if (!isApiError(error)) return 'Something went wrong. Try again.'
  if (error.code === 'NETWORK_ERROR') return 'You are offline. Try again when you are connected.'
  if (error.code === 'UNAUTHORIZED') return 'You are signed out. Sign in again.'
  if (error.code === 'TOO_MANY_REQUESTS') return `Too many requests. Try again in ${error.retryAfter ?? 60} seconds.`
  const [detail] = error.details
  return detail === undefined ? error.message : `${error.message}: ${detail.message}`
}
