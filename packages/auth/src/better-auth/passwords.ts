import { AsyncLocalStorage } from 'node:async_hooks'
import { availableParallelism } from 'node:os'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { createConcurrencyLimit, type ConcurrencyLimit } from '../concurrency-limit.ts'

const MAX_CONCURRENT_HASHES = 2 * availableParallelism()
const MAX_QUEUED_HASHES = 50

/** Stores the last hash that was verified during a request, if the password was correct. */
export const verifiedHashes: AsyncLocalStorage<{ hash: string | null }> = new AsyncLocalStorage()

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
    async verify(given) {
      const isCorrect = await limit(() => verifyPassword(given))
      const verified = verifiedHashes.getStore()
      if (isCorrect && verified !== undefined) verified.hash = given.hash
      return isCorrect
    },
  }
}
