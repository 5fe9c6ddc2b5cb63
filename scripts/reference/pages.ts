import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { format, type FormatOptions } from 'oxfmt'
import { readPackage, type PublicPackage } from './entry.ts'
import { toPage } from './page.ts'

/** Where the pages of packages are, from the root. */
const PAGES = 'docs/reference/packages'

/** The packages that users install, what most of them use first. */
const PUBLIC = ['server', 'react', 'frontend', 'auth', 'database', 'redis', 'workbench', 'cli', 'create', 'protocol']

/** Reads the public packages. */
export function readPackages(root: string): PublicPackage[] {
  return PUBLIC.map((folder) => readPackage(root, folder))
}

/** All pages that are made from the sources, by their paths. */
export async function makePages(root: string): Promise<Map<string, string>> {
  const options = JSON.parse(readFileSync(join(root, '.oxfmtrc.json'), 'utf8')) as FormatOptions
  const pages = new Map<string, string>()
  for (const one of readPackages(root)) {
    const path = `${PAGES}/${one.folder}.md`
    pages.set(path, (await format(path, `${toPage(root, one)}\n`, options)).code)
  }
  return pages
}
