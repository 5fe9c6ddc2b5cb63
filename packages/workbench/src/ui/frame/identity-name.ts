import type { Identity } from '../data/identity.ts'

/** An identity in a word or two. */
export function identityName(now: Identity): string {
  if (now.kind === 'user') return now.user.name === '' ? now.user.email : now.user.name
  return now.kind === 'browser' ? 'This browser' : 'Anonymous'
}
