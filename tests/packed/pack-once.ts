import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { runAfterExit } from '@sdk/test-kit'
import { packAll, type Packed } from '../../scripts/publishable.ts'

/** All test files of a run have the same parent process. */
const SHARED = join(tmpdir(), `sdk-packed-${process.ppid}`)

/**
 * Packs all packages into a folder. The test files that need them share the work, which takes npm six seconds of CPU:
 * the first one packs, and the others wait for it and copy its files.
 */
export async function packOnce(destination: string): Promise<Packed[]> {
  if (isFirst()) await packShared()
  const list = join(SHARED, 'packed.json')
  while (!existsSync(list)) {
    if (!existsSync(SHARED)) return packOnce(destination)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  cpSync(SHARED, destination, { recursive: true })
  const packages = JSON.parse(readFileSync(list, 'utf8')) as Packed[]
  return packages.map((one) => ({ ...one, tarball: join(destination, basename(one.tarball)) }))
}

function isFirst(): boolean {
  try {
    mkdirSync(SHARED)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

async function packShared(): Promise<void> {
  // Without the folder, the next file packs again.
  runAfterExit('rm -rf -- "$1"', SHARED)
  const draft = join(SHARED, 'draft.json')
  try {
    writeFileSync(draft, JSON.stringify(await packAll(SHARED)))
    renameSync(draft, join(SHARED, 'packed.json'))
  } catch (error) {
    rmSync(SHARED, { recursive: true })
    throw error
  }
}
