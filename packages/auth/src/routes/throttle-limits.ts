import type { Quota } from '@sdk/server'

/** Limits for attempts to sign in, and for mails: so many in so many seconds. */
export interface ThrottleLimits {
  /** Failed passwords and codes of one address. @default { quota: 10, window: 60 } */
  readonly signIn?: Quota
  /** Accounts made from one address. @default { quota: 5, window: 60 } */
  readonly signUp?: Quota
  /** Failed passwords and codes for one account; then it rests for as long. @default { quota: 10, window: 900 } */
  readonly account?: Quota
  /** Mails and codes that one address asks for. @default { quota: 5, window: 60 } */
  readonly mail?: Quota
  /** Mails and codes that are asked for one account. @default { quota: 5, window: 900 } */
  readonly accountMail?: Quota
}

const DEFAULT_LIMITS: Required<ThrottleLimits> = {
  signIn: { quota: 10, window: 60 },
  signUp: { quota: 5, window: 60 },
  account: { quota: 10, window: 900 },
  mail: { quota: 5, window: 60 },
  accountMail: { quota: 5, window: 900 },
}

/** The limits with their defaults; a mistake is an error now. */
export function resolveThrottle(limits: ThrottleLimits | false = {}): Required<ThrottleLimits> | false {
  if (limits === false) return false
  const all = { ...DEFAULT_LIMITS, ...limits }
  for (const [name, quota] of Object.entries(all) as [string, Quota | undefined][])
    if (!(name in DEFAULT_LIMITS) || !((quota?.quota ?? 0) >= 1) || !((quota?.window ?? 0) > 0))
      throw new TypeError(`throttle.${name} is like { quota: 10, window: 60 }, got ${JSON.stringify(quota)}`)
  return all
}
