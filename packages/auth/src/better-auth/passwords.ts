import { availableParallelism } from 'node:os'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { createConcurrencyLimit, type ConcurrencyLimit } from '../concurrency-limit.ts'

/** How the library makes and checks hashes of passwords. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(given: { hash: string; password: string }): Promise<boolean>
}

/** Hashes that are made at a time. */
const MAX_CONCURRENT_HASHES = 2 * availableParallelism()

/** Requests that may wait for a hash. */
const MAX_QUEUED_HASHES = 50

/**
 * The door of requests that need a hash: whoever would find no place is sent away here, with 503, before anything was
 * done, such as to use up the link to a new password.
 */
export function createHashLimiter(): ConcurrencyLimit {
  return createConcurrencyLimit({ concurrency: MAX_CONCURRENT_HASHES + MAX_QUEUED_HASHES, queue: 0 })
}

/**
 * The library's own hashes (scrypt, off the event loop), but not more at a time than the machine has cores for: each
 * takes 32 MB and much of a core, and whoever can send requests can ask for one.
 */
export function createPasswords(): Passwords {
  const limit = createConcurrencyLimit({ concurrency: MAX_CONCURRENT_HASHES, queue: MAX_QUEUED_HASHES })
  return {
    hash: (password) => limit(() => hashPassword(password)),
    verify: (given) => limit(() => verifyPassword(given)),
  }
}
