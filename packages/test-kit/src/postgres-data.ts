import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { PostgresBinaries } from './postgres-binaries.ts'

const execFileAsync = promisify(execFile)

const INITDB = [
  '--username=postgres',
  '--auth=trust',
  '--encoding=UTF8',
  // Use the same collation on every machine.
  '--locale=C',
  '--locale-provider=builtin',
  '--builtin-locale=C.UTF-8',
  // Create smaller files, which are faster to copy.
  '--wal-segsize=1',
  '--no-sync',
  '--no-instructions',
]

/** Creates the data folder for an empty server. `initdb` takes a second, so its result is cached and reused. */
export async function createData(data: string, { installed, bin, user }: PostgresBinaries): Promise<void> {
  const flags = createHash('sha256').update(INITDB.join()).digest('hex').slice(0, 8)
  const first = join(installed, `data-${user?.uid ?? process.getuid?.()}-${flags}`)
  if (existsSync(first)) {
    await execFileAsync('cp', ['-a', first, data])
  } else {
    await execFileAsync(join(bin, 'initdb'), [...INITDB, '-D', data], { ...user })
    await cacheData(data, first)
  }
}

async function cacheData(data: string, first: string): Promise<void> {
  const draft = `${first}.${process.pid}`
  try {
    await execFileAsync('cp', ['-a', data, draft])
    renameSync(draft, first)
  } catch {
    rmSync(draft, { recursive: true, force: true }) // another process was faster, or the folder is not writable
  }
}
