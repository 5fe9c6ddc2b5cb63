import { availableParallelism } from 'node:os'
import { hashPassword, verifyPassword } from 'better-auth/crypto'
import { createGate } from '../gate.ts'

/** How the library makes and checks hashes of passwords. */
export interface Passwords {
  hash(password: string): Promise<string>
  verify(given: { hash: string; password: string }): Promise<boolean>
}

/**
 * The library's own hashes (scrypt, off the event loop), but not more at a time than the machine has cores for: each
 * takes 32 MB and much of a core, and whoever can send requests can ask for one.
 */
export function createPasswords(): Passwords {
  const gate = createGate({ width: 2 * availableParallelism(), queue: 50 })
  return {
    hash: (password) => gate(() => hashPassword(password)),
    verify: (given) => gate(() => verifyPassword(given)),
  }
}
