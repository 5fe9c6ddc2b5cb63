import { isBuiltin } from 'node:module'
import { EXIT, Failure } from './failure.ts'

const LONGEST = 214
const PATTERN = /^(?:@[a-z0-9-~][a-z0-9-._~]*\/)?[a-z0-9-~][a-z0-9-._~]*$/
const RESERVED: ReadonlySet<string> = new Set(['node_modules', 'favicon.ico'])

/** A name that npm takes, as near as it gets to what a folder is called. */
export function toPackageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-._~]+/g, '-')
    .replaceAll(/^[-._]+|-+$/g, '')
    .slice(0, LONGEST)
  return reasonAgainst(name) === null ? name : toFreeName(name)
}

/** Throws where npm would refuse a name, and says one that it takes. */
export function assertPackageName(name: string): void {
  const reason = reasonAgainst(name)
  if (reason === null) return
  throw new Failure(`${JSON.stringify(name)} is no name for a package: ${reason}`, {
    fix: `try --name ${toPackageName(name)}`,
    exitCode: EXIT.usage,
  })
}

function reasonAgainst(name: string): string | null {
  if (name.length > LONGEST) return `it has ${name.length} characters, and ${LONGEST} are allowed`
  if (RESERVED.has(name)) return 'npm keeps it for itself'
  if (isBuiltin(name)) return 'a module of Node is called so'
  return PATTERN.test(name) ? null : 'npm takes a-z, 0-9 and "-", and no capitals, spaces or leading dots'
}

function toFreeName(name: string): string {
  return PATTERN.test(`${name}-app`) && name !== '' ? `${name}-app` : 'my-app'
}
