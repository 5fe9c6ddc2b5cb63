import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, type FormatOptions } from 'oxfmt'
import { readPackage, type PublicPackage } from './entry.ts'
import { fillPage } from './fills.ts'
import { toPage } from './page.ts'

/** Where the pages of the reference are, from the root. */
const REFERENCE = 'docs/reference'

/** Has the list of commands beside what people write. */
const COMMANDS_README = 'packages/cli/README.md'

/** The packages that users install, what most of them use first. */
const PUBLIC = ['server', 'react', 'frontend', 'auth', 'database', 'redis', 'workbench', 'cli', 'create', 'protocol']

/** Reads the public packages. */
export function readPackages(root: string): PublicPackage[] {
  return PUBLIC.map((folder) => readPackage(root, folder))
}

/** All pages that are made from the sources, or filled from them, by their paths. */
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

/** Pages that people write, and in which the sources fill some places. */
function writtenPages(root: string): string[] {
  const folder = join(root, REFERENCE)
  const names = existsSync(folder) ? readdirSync(folder) : []
  return [...names.filter((name) => name.endsWith('.md')).map((name) => `${REFERENCE}/${name}`), COMMANDS_README]
}
