import { isBuiltin } from 'node:module'
import { EXIT_CODES, CreateFailure } from './failure.ts'

const MAX_LENGTH = 214
const VALID_NAME = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/
const RESERVED_NAMES: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico'])

/** Returns a valid package name that is as close as possible to a folder's name. */
export function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-._~]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, MAX_LENGTH)
  return reasonAgainst(name) === null ? name : toFreeName(name)
}

/** Throws if npm would reject a name. The error suggests a valid name. */
export function assertPackageName(name: string): void {
  const reason = reasonAgainst(name)
  if (reason === null) return
  throw new CreateFailure(`${JSON.stringify(name)} is not a valid package name: ${reason}`, {
    fix: `try --name ${toPackageName(name)}`,
    exitCode: EXIT_CODES.usage,
  })
}

function reasonAgainst(name: string): string | null {
  if (name.length > MAX_LENGTH) return `it must have at most ${MAX_LENGTH} characters, got ${name.length}`
  if (RESERVED_NAMES.has(name)) return 'it is reserved by npm'
  if (isBuiltin(name)) return 'Node has a built-in module with this name'
  if (VALID_NAME.test(name)) return null
  return 'it must consist of a-z, 0-9, "-", ".", "_" and "~", and must not start with "." or "_"'
}

function toFreeName(name: string): string {
  return VALID_NAME.test(`${name}-app`) && name !== '' ? `${name}-app` : 'my-app'
}
