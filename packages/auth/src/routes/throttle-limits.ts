import type { Quota } from '@sdk/server'

/** Limits for sign-in attempts and emails, each with a quota per window in seconds. */
export interface ThrottleLimits {
  /** Failed passwords and codes from one address. @default { quota: 10, window: 60 } */
  readonly signIn?: Quota
  /** Accounts created from one address. @default { quota: 5, window: 60 } */
  readonly signUp?: Quota
  /**
   * Failed passwords and codes for one account. When the quota is reached, the account is blocked for one window.
   * @default { quota: 10, window: 900 }
   */
  readonly account?: Quota
  /** Emails and codes requested from one address. @default { quota: 5, window: 60 } */
  readonly mail?: Quota
  /** Emails and codes requested for one account. @default { quota: 5, window: 900 } */
  readonly accountMail?: Quota
}

const DEFAULT_LIMITS: Required<ThrottleLimits> = {
  signIn: { quota: 10, window: 60 },
  signUp: { quota: 5, window: 60 },
  account: { quota: 10, window: 900 },
  mail: { quota: 5, window: 60 },
  accountMail: { quota: 5, window: 900 },
}

/** Validates the limits and applies defaults. */
export function resolveThrottle(limits: ThrottleLimits | false = {}): Required<ThrottleLimits> | false {
  if (limits === false) return false
  const all = { ...DEFAULT_LIMITS, ...limits }
  for (const [name, quota] of Object.entries(all) as [string, Quota | undefined][]) {
    if (!(name in DEFAULT_LIMITS))
      throw new TypeError(`throttle.${name} is not a known limit: use ${Object.keys(DEFAULT_LIMITS).join(', ')}`)
    if (!((quota?.quota ?? 0) >= 1) || !((quota?.window ?? 0) > 0))
      throw new TypeError(
        `throttle.${name} must have a quota of at least 1 and a window above 0, got ${JSON.stringify(quota)}`,
      )
  }
  return all
}
