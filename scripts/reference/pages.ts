import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, type FormatOptions } from 'oxfmt'
import { readPackage, type PublicPackage } from './entry.ts'
import { fillPage } from './fills.ts'
import { toPage } from './page.ts'

/** The folder of the reference pages, from the root. */
const REFERENCE = 'docs/reference'

/** A hand-written page with a generated list of commands. */
const COMMANDS_README = 'packages/cli/README.md'

/** The published packages, most used first. */
const PUBLIC = [
  'server',
  'react',
  'frontend',
  'auth',
  'database',
  'redis',
  'mcp',
  'workbench',
  'cli',
  'create',
  'protocol',
]

/** Reads the public packages. */
export function readPackages(root: string): PublicPackage[] {
  return PUBLIC.map((folder) => readPackage(root, folder))
}

/** Returns all pages that are generated or filled from the sources, by path. */
export async function makePages(root: string): Promise<Map<string, string>> {
  const packages = readPackages(root)
  const drafts = packages.map((one): [string, string] => [`${REFERENCE}/packages/${one.folder}.md`, toPage(root, one)])
  for (const path of writtenPages(root))
    drafts.push([path, await fillPage(readFileSync(join(root, path), 'utf8').trimEnd(), packages)])
  const options = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8')) as FormatOptions
  const pages = new Map<string, string>()
  for (const [path, text] of drafts) pages.set(path, (await format(path, `${text}\n`, options)).code)
  return pages
}

/** Hand-written pages with generated parts. */
function writtenPages(root: string): string[] {
  const folder = join(root, REFERENCE)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return [...names.filter((name) => name.endsWith('.md')).map((name) => `${REFERENCE}/${name}`), COMMANDS_README]
}
