import { availableParallelism } from 'node:os'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { createConcurrencyLimit, type ConcurrencyLimit } from '../concurrency-limit.ts'

const MAX_CONCURRENT_HASHES = 2 * availableParallelism()
const MAX_QUEUED_HASHES = 50

/**
 * Creates the limit for requests that hash a password. Excess requests are rejected with 503 before they have any
 * effect, such as using up a password reset link.
 */
export function createHashLimiter(): ConcurrencyLimit {
  return createConcurrencyLimit({ concurrency: MAX_CONCURRENT_HASHES + MAX_QUEUED_HASHES, queue: 0 })
}

/**
 * Creates Better Auth's hash functions (scrypt, off the event loop) with limited concurrency: each call uses 32 MB and
 * most of a core.
 */
export function createPasswords(): { hash: typeof hashPassword; verify: typeof verifyPassword } {
  const limit = createConcurrencyLimit({ concurrency: MAX_CONCURRENT_HASHES, queue: MAX_QUEUED_HASHES })
  return {
    hash: (password) => limit(() => hashPassword(password)),
    verify: (given) => limit(() => verifyPassword(given)),
  }
}
