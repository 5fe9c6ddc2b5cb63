import type { AttachedApps } from '../attached-apps.ts'
import type { AuthSettings } from '../auth-options.ts'
import { createHashLimiter } from '../better-auth/passwords.ts'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { createAttemptCounters } from './counts.ts'
import { createThrottle, type Throttle } from './throttle.ts'

/** The limits that the auth routes and `auth.users` share. */
export interface AttemptLimits {
  readonly throttle: Throttle
  readonly limitHashes: ConcurrencyLimit
}

/** Creates the limits for attempts, which are counted in the engine that the apps use. */
export function createAttemptLimits({ throttle: limits, secret }: AuthSettings, apps: AttachedApps): AttemptLimits {
  const counts = createAttemptCounters(() => apps.engine())
  return {
    throttle: limits ? createThrottle({ limits, secret, counts }) : noThrottle,
    limitHashes: createHashLimiter(),
  }
}

const noThrottle: Throttle = async () => async () => {}
