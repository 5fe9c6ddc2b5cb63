/** `npm run lockfile`: adds the entries to package-lock.json that npm omits because it cannot fetch their packages. */
import { writeFileSync } from 'node:fs'
import {
  addEntry,
  isExact,
  type LockEntry,
  LOCKFILE,
  missingDependencies,
  type OptionalDependency,
  platformOf,
  readLockfile,
  removeUnverified,
  toLockfileText,
} from './lockfile.ts'
import { capture } from './run.ts'

const lockfile = readLockfile()
// The registry may have the packages by now.
removeUnverified(lockfile)
const missing = missingDependencies(lockfile)
const registry = (await capture('npm config get registry --workspaces=false 2>/dev/null')).output.trim()
const unpublished: string[] = []
for (const [index, dependency] of missing.entries()) {
  addEntry(lockfile, dependency, await readManifest(dependency))
  if (index % 20 === 19) console.log(`  ${index + 1} of ${missing.length} packages looked up`)
}
writeFileSync(LOCKFILE, toLockfileText(lockfile))
console.log(`package-lock.json is complete: added ${missing.length} entries that npm had omitted`)
if (unpublished.length > 0) console.log(`${unpublished.length} have no checksum: the registry does not have them`)

/** Returns an entry made from the published manifest, or from the package's name if the registry does not have it. */
async function readManifest({ name, range, parent }: OptionalDependency): Promise<LockEntry> {
  if (!isExact(range)) throw new Error(`${parent} needs ${name}@${range}, a range: run npm install to choose a version`)
  const url = new URL(`${name.replace('/', '%2f')}/${range}`, registry)
  const response = await fetch(url)
  if (response.ok) {
    const { dist, ...manifest } = (await response.json()) as LockEntry & { dist: { integrity: string } }
    return { ...manifest, integrity: dist.integrity }
  }
  if (response.status !== 404) throw new Error(`could not read the registry: status ${response.status} of ${url.href}`)
  unpublished.push(name)
  return { version: range, ...platformOf(name) }
}
