import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { reportEnvError } from '@sdk/server'

const MINIMUM_LENGTH = 32

/** What random text of that length has at the very least; in hexadecimal it is about 118. */
const MINIMUM_BITS = 96

/** What Better Auth signs with when it is given nothing; published with its source. */
const PUBLISHED = 'better-auth-secret-12345678901234567890'

/** The secret to sign with. In production it must be given, and one that nobody guesses. */
export function resolveSecret(given: string | undefined, env: NodeJS.ProcessEnv): string {
  const secret = given ?? env['AUTH_SECRET'] ?? ''
  if (env['NODE_ENV'] !== 'production') return secret || readDevelopmentSecret()
  const problem = findWeakness(secret)
  if (problem === null) return secret
  const name = given === undefined ? 'AUTH_SECRET' : 'secret of createAuth'
  const purpose = `it signs sessions, and must be at least ${MINIMUM_LENGTH} random characters`
  const example = 'AUTH_SECRET=… with the output of openssl rand -base64 32'
  return reportEnvError({ name, problem, purpose, example }, UNUSED_SECRET)
}

/** For a process that signs nothing: one that only inspects the project, or that will not start. */
export const UNUSED_SECRET = 'nothing is signed with this text'

/** Never tells the secret, only what is wrong with it. */
function findWeakness(secret: string): string | null {
  if (secret === '') return 'is not set'
  if (secret === PUBLISHED) return 'is the default of Better Auth, which everybody knows'
  if (secret.length < MINIMUM_LENGTH) return `has ${secret.length} characters`
  const isGuessable = isRepetition(secret) || bitsOf(secret) < MINIMUM_BITS
  return isGuessable ? 'can be guessed, since it has too few different characters or repeats them' : null
}

function isRepetition(text: string): boolean {
  for (let period = 1; period <= text.length / 2; period++)
    if (text.slice(period) === text.slice(0, text.length - period)) return true
  return false
}

/** How much a text can hold at most, by how often each of its characters comes. */
function bitsOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => bits - count * Math.log2(count / text.length), 0)
}

/** The secret of a development project: made on the first start, kept in a file that only its owner reads. */
export function readDevelopmentSecret(file = '.sdk/auth-secret'): string {
  const stored = readSecretFile(file)
  if (stored !== null) return stored
  const draft = `${file}.${process.pid}`
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(draft, randomBytes(32).toString('base64url'), { mode: 0o600 })
  try {
    // A link appears whole or not at all, so of several processes the first one decides for all.
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
