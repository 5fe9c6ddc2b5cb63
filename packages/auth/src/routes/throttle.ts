import { createHmac } from 'node:crypto'
import { addressKey, type Quota } from '@sdk/server'
import type { AttemptKind } from './attempt.ts'
import type { AttemptCounters } from './counts.ts'
import { createFailureCounter } from './failures.ts'
import { createKnownAddresses } from './known-addresses.ts'
import type { ThrottleLimits } from './throttle-limits.ts'
import { tooMany } from './too-many.ts'

/** Somebody who tries something. */
export interface ThrottledAttempt {
  readonly kind: AttemptKind
  /** Undefined where nobody knows: then only accounts are limited. */
  readonly address: string | undefined
  /** In one spelling; null where none is meant. */
  readonly account: string | null
}

/** What became of an attempt. */
export interface AttemptOutcome {
  readonly status: number
  /** Was it the user of the account? Then the address is one of theirs. */
  readonly hasEntered: boolean
}

type Settle = (status: number) => Promise<void>

/** Counts an attempt, or throws `TOO_MANY_REQUESTS`; gives how to tell what became of it. */
export type Throttle = (attempt: ThrottledAttempt) => Promise<(outcome: AttemptOutcome) => Promise<void>>

/** What a throttle works with. */
export interface ThrottleOptions {
  readonly limits: Required<ThrottleLimits>
  readonly counts: AttemptCounters
  readonly secret: string
  readonly now?: () => number
}

/** Who is counted, by hashes: what is shared with other processes names nobody. */
interface ThrottleKeys {
  readonly from: string | null
  readonly whom: string | null
  /**
   * Where the account is counted: at all addresses together, but at one from which its user came before apart, so
   * that nobody elsewhere can lock the user out.
   */
  readonly accountKey: string | null
}

/**
 * Limits what can be tried. All is counted before the work and given back where nothing was gained, so that many at
 * once pass no more often than one after the other.
 */
export function createThrottle({ limits, counts, secret, now = Date.now }: ThrottleOptions): Throttle {
  const known = createKnownAddresses(counts)
  const failures = createFailureCounter({ limit: limits.account, counts, now })
  const kinds: Record<AttemptKind, (counted: ThrottleKeys) => Promise<Settle>> = {
    'sign-up': signUp,
    mail,
    secret: pass,
  }

  return async ({ kind, address, account }) => {
    const from = address === undefined ? null : hash(`address ${addressKey(address)}`)
    const whom = account === null ? null : hash(`account ${account}`)
    const isKnownAddress = whom !== null && from !== null && kind !== 'sign-up' && (await known.has(whom, from))
    const settle = await kinds[kind]({ from, whom, accountKey: isKnownAddress ? `${whom} ${from}` : whom })
    return async ({ status, hasEntered }) => {
      await settle(status)
      if (hasEntered && whom !== null && from !== null) await known.add(whom, from)
    }
  }

  async function signUp({ from }: ThrottleKeys): Promise<Settle> {
    const giveBack = await take('sign-up', limits.signUp, from)
    return (status) => (status === 400 || isUncounted(status) ? giveBack() : DONE)
  }

  async function mail({ from, accountKey: place }: ThrottleKeys): Promise<Settle> {
    const giveBack = await take('mail', limits.mail, from)
    const giveBackToo = await take('account-mail', limits.accountMail, place)
    return async (status) => void (isUncounted(status) && (await Promise.all([giveBack(), giveBackToo()])))
  }

  async function pass({ from, accountKey: place }: ThrottleKeys): Promise<Settle> {
    const giveBack = await take('sign-in', limits.signIn, from)
    const settle = place === null ? null : await failures.begin(place)
    return async (status) => {
      // 403 is told to those who passed, and may not enter for another reason.
      const isFailure = status >= 400 && status !== 403 && !isUncounted(status)
      await settle?.(isFailure)
      if (!isFailure) await giveBack()
    }
  }

  /** Takes from a quota; gives how to put it back. */
  async function take(name: string, quota: Quota, key: string | null): Promise<() => Promise<void>> {
    if (key === null) return () => DONE
    const policy = { name: `auth-${name}`, ...quota }
    const wait = await counts.take(key, policy)
    if (wait !== null) throw tooMany(wait)
    return () => counts.giveBack(key, policy)
  }

  function hash(text: string): string {
    return createHmac('sha256', secret).update(`sdk throttle ${text}`).digest('base64url').slice(0, 22)
  }
}

const DONE: Promise<void> = Promise.resolve()

/** An answer that says that nothing was tried. */
function isUncounted(status: number): boolean {
  return status >= 500 || status === 404 || status === 429
}
