import { availableParallelism } from 'node:os'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { createGate, type Gate } from '../concurrency-limit.ts'

/** How the library makes and checks hashes of passwords. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(given: { hash: string; password: string }): Promise<boolean>
}

/** Hashes that are made at a time. */
const AT_ONCE = 2 * availableParallelism()

/** Requests that may wait for a hash. */
const WAITING = 50

/**
 * The door of requests that need a hash: whoever would find no place is sent away here, with 503, before anything was
 * done, such as to use up the link to a new password.
 */
export function createPasswordDoor(): Gate {
  return createGate({ width: AT_ONCE + WAITING, queue: 0 })
}

/**
 * The library's own hashes (scrypt, off the event loop), but not more at a time than the machine has cores for: each
 * takes 32 MB and much of a core, and whoever can send requests can ask for one.
 */
export function createPasswords(): Passwords {
  const gate = createGate({ width: AT_ONCE, queue: WAITING })
  return {
    hash: (password) => gate(() => hashPassword(password)),
    verify: (given) => gate(() => verifyPassword(given)),
  }
}
