import { isBuiltin } from 'node:module'
import { EXIT, Failure } from './failure.ts'

const LONGEST = 214
const PATTERN = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/
const RESERVED: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico'])

/** A valid package name, as close as possible to the name of a folder. */
export function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-._~]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, LONGEST)
  return reasonAgainst(name) === null ? name : toFreeName(name)
}

/** Throws where npm would refuse a name, and suggests a valid one. */
export function assertPackageName(name: string): void {
  const reason = reasonAgainst(name)
  if (reason === null) return
  throw new Failure(`${JSON.stringify(name)} is not a valid package name: ${reason}`, {
    fix: `try --name ${toPackageName(name)}`,
    exitCode: EXIT.usage,
  })
}

function reasonAgainst(name: string): string | null {
  if (name.length > LONGEST) return `it has ${name.length} characters, and ${LONGEST} are allowed`
  if (RESERVED.has(name)) return 'npm reserves it'
  if (isBuiltin(name)) return 'a module of Node has this name'
  return PATTERN.test(name) ? null : 'npm allows a-z, 0-9 and "-", but no capitals, spaces or leading dots'
}

function toFreeName(name: string): string {
  return PATTERN.test(`${name}-app`) && name !== '' ? `${name}-app` : 'my-app'
}
