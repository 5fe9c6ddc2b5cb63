import type { Identity } from '../data/identity.ts'

/** Returns the display name of an identity. */
export function identityName(now: Identity): string {
  if (now.kind === 'user') return now.user.name === '' ? now.user.email : now.user.name
  return now.kind === 'browser' ? 'This browser' : 'Anonymous'
}
