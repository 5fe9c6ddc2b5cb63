import { createHmac } from 'node:crypto'
import { ApiError } from '@sdk/protocol'
import { addressKey, type Quota } from '@sdk/server'
import type { AttemptKind } from './attempt.ts'
import type { AttemptCounters } from './counts.ts'
import type { ThrottleLimits } from './throttle-limits.ts'

/** An attempt to sign in, to sign up or to request an email. */
export interface ThrottledAttempt {
  readonly kind: AttemptKind
  /** The client's address. If it is unknown, attempts are limited only per account. */
  readonly address: string | undefined
  /** The normalized account, or null if the attempt does not specify one. */
  readonly account: string | null
}

type Settle = (status: number) => Promise<void>

/** The outcome of an attempt. */
interface AttemptOutcome {
  readonly status: number
  /**
   * The accounts of a user who signed in or set a new password. The address becomes a known address of these accounts.
   */
  readonly entered: readonly string[]
}

/** A function that counts an attempt, or throws `TOO_MANY_REQUESTS`. It returns a function that records the outcome. */
export type Throttle = (attempt: ThrottledAttempt) => Promise<(outcome: AttemptOutcome) => Promise<void>>

interface ThrottleOptions {
  readonly limits: Required<ThrottleLimits>
  readonly counts: AttemptCounters
  readonly secret: string
  readonly now?: () => number
}

/** The keys of the counters. They are hashed because the counters are shared with other processes. */
interface ThrottleKeys {
  readonly from: string | null
  readonly whom: string | null
  /**
   * The key for the account's counters. Unknown addresses share one key, but each known address has its own, so that
   * attackers cannot lock the user out.
   */
  readonly accountKey: string | null
}

/**
 * Creates a throttle. It takes units before an attempt and returns unused units afterwards, so that concurrent attempts
 * get no more tries than sequential ones.
 */
export function createThrottle({ limits, counts, secret, now = Date.now }: ThrottleOptions): Throttle {
  const known = createKnownAddresses(counts)
  const beginAttempt = createFailureCounter({ limits, counts, now })
  const kinds: Record<AttemptKind, (keys: ThrottleKeys) => Promise<Settle>> = { 'sign-up': signUp, mail, secret: pass }

  return async ({ kind, address, account }) => {
    const from = address === undefined ? null : hash(`address ${addressKey(address)}`)
    const whom = account === null ? null : hashAccount(account)
    const isKnownAddress = whom !== null && from !== null && kind !== 'sign-up' && (await known.has(whom, from))
    const settle = await kinds[kind]({ from, whom, accountKey: isKnownAddress ? `${whom} ${from}` : whom })
    return async ({ status, entered }) => {
      await settle(status)
      if (from !== null) for (const one of entered) await known.add(hashAccount(one), from)
    }
  }

  async function signUp({ from }: ThrottleKeys): Promise<Settle> {
    const giveBack = await take('sign-up', limits.signUp, from)
    return (status) => (status === 400 || isUncounted(status) ? giveBack() : DONE)
  }

  async function mail({ from, accountKey }: ThrottleKeys): Promise<Settle> {
    const giveBack = await take('mail', limits.mail, from)
    const giveBackToo = await take('account-mail', limits.accountMail, accountKey)
    return async (status) => void (isUncounted(status) && (await Promise.all([giveBack(), giveBackToo()])))
  }

  async function pass({ from, accountKey }: ThrottleKeys): Promise<Settle> {
    const giveBack = await take('sign-in', limits.signIn, from)
    const settle = accountKey === null ? null : await beginAttempt(accountKey)
    return async (status) => {
      // 403: the password or code was correct, but the user is not allowed to sign in for another reason.
      const isFailure = status >= 400 && status !== 403 && !isUncounted(status)
      await settle?.(isFailure)
      if (!isFailure) await giveBack()
    }
  }

  /** Takes a unit from a quota and returns a function that gives it back. */
  async function take(name: string, quota: Quota, key: string | null): Promise<() => Promise<void>> {
    if (key === null) return () => DONE
    const policy = { name: `auth-${name}`, ...quota }
    const wait = await counts.take(key, policy)
    if (wait !== null) throw tooMany(wait)
    return () => counts.giveBack(key, policy)
  }

  function hashAccount(account: string): string {
    return hash(`account ${account}`)
  }

  function hash(text: string): string {
    return createHmac('sha256', secret).update(`sdk throttle ${text}`).digest('base64url').slice(0, 22)
  }
}

const DONE: Promise<void> = Promise.resolve()

function isUncounted(status: number): boolean {
  return status >= 500 || status === 404 || status === 429
}

function tooMany(seconds: number): ApiError {
  const retryAfter = Math.max(1, Math.ceil(seconds))
  return new ApiError('TOO_MANY_REQUESTS', `Too many attempts; try again in ${retryAfter} s`, { retryAfter })
}

/** Creates a function that counts an attempt as failed until its outcome is known. Throws if the account is locked. */
function createFailureCounter({ limits, counts, now }: Required<Omit<ThrottleOptions, 'secret'>>) {
  const { quota, window } = limits.account
  return async (account: string) => {
    const until = Number(await counts.read(`closed ${account}`))
    if (until > now()) throw tooMany((until - now()) / 1000)
    const failed = await counts.add(`failed ${account}`, 1, window)
    const giveBack = async (): Promise<void> => void (await counts.add(`failed ${account}`, -1, window))
    if (failed > quota) {
      await giveBack()
      throw tooMany(1)
    }
    return async (isFailure: boolean): Promise<void> => {
      if (!isFailure) return giveBack()
      // Only an attempt within the quota can lock the account: attempts beyond the quota were rejected without a check
      // and may have been correct.
      if (failed >= quota) await counts.write(`closed ${account}`, String(now() + window * 1000), window)
    }
  }
}

const MAX_ADDRESSES = 8
const ADDRESS_TTL_SECONDS = 90 * 24 * 3600

/** Creates a list of the hashed addresses from which each account's user has signed in before. */
function createKnownAddresses(counts: AttemptCounters) {
  const listOf = async (account: string): Promise<string[]> => (await counts.read(`known ${account}`))?.split(' ') ?? []
  return {
    has: async (account: string, address: string) => (await listOf(account)).includes(address),
    async add(account: string, address: string): Promise<void> {
      const known = [address, ...(await listOf(account)).filter((one) => one !== address)]
      await counts.write(`known ${account}`, known.slice(0, MAX_ADDRESSES).join(' '), ADDRESS_TTL_SECONDS)
    },
  }
}
