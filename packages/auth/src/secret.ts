import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { reportEnvError } from '@sdk/server'

const MINIMUM_LENGTH = 32

/** The minimum entropy in bits. A random hexadecimal string of the minimum length has about 118 bits. */
const MINIMUM_BITS = 96

/** Better Auth's default secret, which is part of its public source code. */
const PUBLISHED = 'better-auth-secret-12345678901234567890'

/** Returns the signing secret. Production requires a secret that is hard to guess. */
export function resolveSecret(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const secret = given ?? env['AUTH_SECRET'] ?? ''
  if (env['NODE_ENV'] !== 'production') return secret || readDevelopmentSecret()
  const problem = findWeakness(secret)
  if (problem === null) return secret
  const name = given === undefined ? 'AUTH_SECRET' : 'the secret option of createAuth'
  const purpose = `it is used to sign sessions and must have at least ${MINIMUM_LENGTH} random characters`
  const example = 'AUTH_SECRET=…, where … is the output of openssl rand -base64 32'
  return reportEnvError({ name, problem, purpose, example }, UNUSED_SECRET)
}

/** The secret for a process that signs nothing, because it only inspects the project or fails to start. */
export const UNUSED_SECRET = 'nothing is signed with this text'

/** Returns a description of a secret's weakness that does not reveal the secret, or null if it is strong enough. */
function findWeakness(secret: string): string | null {
  if (secret === '') return 'is not set'
  if (secret === PUBLISHED) return "is Better Auth's default secret, which is public"
  if (secret.length < MINIMUM_LENGTH)
    return `has only ${secret.length} ${secret.length === 1 ? 'character' : 'characters'}`
  const isGuessable = isRepetition(secret) || bitsOf(secret) < MINIMUM_BITS
  return isGuessable ? 'is easy to guess: it has too few distinct characters or repeats a pattern' : null
}

function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++)
    if (text.slice(period) === text.slice(0, text.length - period)) return true
  return false
}

/** Returns an upper bound for a string's entropy in bits, based on its character frequencies. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / text.length), 0)
}

/**
 * Returns the project's development secret. The first call generates it and stores it in a file that only the owner can
 * read.
 */
export function readDevelopmentSecret(file = '.sdk/auth-secret'): string {
  const stored = readSecretFile(file)
  if (stored !== null) return stored
  const draft = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    // Linking is atomic: if several processes start at the same time, they all use the secret of the first one.
    linkSync(draft, file)
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  } finally {
    rmSync(draft, { force: true })
  }
  return readFileSync(file, 'utf8')
}

function readSecretFile(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
