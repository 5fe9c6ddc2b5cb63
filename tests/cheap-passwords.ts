import crypto, { type ScryptOptions } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/** A fraction of Better Auth's cost: the tests hash passwords a thousand times. */
const MAX_COST = 64
/** Stores Node's original function: test files share a process, and each loads this file. */
const ORIGINAL = Symbol.for('sdk.test.scrypt')

type Callback = (error: Error | null, key: Buffer) => void
type Scrypt = (password: string, salt: string, length: number, options: ScryptOptions, callback: Callback) => void

const kept = globalThis as { [ORIGINAL]?: Scrypt }
const scrypt = (kept[ORIGINAL] ??= crypto.scrypt)

replaceScrypt((password, salt, length, options, callback) => {
  scrypt(password, salt, length, { ...options, N: Math.min(options.N ?? MAX_COST, MAX_COST) }, callback)
})

/** Runs work that needs hashes with the real cost. */
export async function atFullCost(work: () => Promise<void>): Promise<void> {
  const cheap = crypto.scrypt
  replaceScrypt(scrypt)
  try {
    await work()
  } finally {
    replaceScrypt(cheap)
  }
}

function replaceScrypt(replacement: Scrypt): void {
  Object.assign(crypto, { scrypt: replacement })
  syncBuiltinESMExports()
}
