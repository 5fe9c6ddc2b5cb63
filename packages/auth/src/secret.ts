import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** The secret of a development project: made on the first start, kept in a file that only its owner reads. */
export function readDevelopmentSecret(file = '.sdk/auth-secret'): string {
  const kept = readKept(file)
  if (kept !== null) return kept
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

function readKept(file: string): string | null {
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
