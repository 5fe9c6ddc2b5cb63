/** Shows what to do with an `ApiError`: its code says what happened, and this says what to do about it. */
import { isApiError } from '@sdk/react'

/** Why something failed, and what helps, for whoever sits in front of the page. */
export function explain(error: unknown): string {
  if (!isApiError(error)) return 'Something went wrong. Try again.'
  if (error.code === 'NETWORK_ERROR') return 'The network is away. Try again when you are back.'
  if (error.code === 'UNAUTHORIZED') return 'You are signed out. Sign in again.'
  if (error.code === 'TOO_MANY_REQUESTS') return `That was a lot. Try again in ${error.retryAfter ?? 60} seconds.`
  const [detail] = error.details
  return detail === undefined ? error.message : `${error.message}: ${detail.message}`
}
