import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { findPostgres } from './programs.ts'

/** The PostgreSQL binaries, and the user to run them as. */
export interface PostgresBinaries {
  /** The folder of the npm package that contains the binaries. */
  readonly installed: string
  readonly bin: string
  /** The user to run as. Set only if this process runs as root, because PostgreSQL refuses to run as root. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined
}

/** Prepares the installed binaries. Copies them to `folder` if they cannot be run in place. */
export function preparePostgres(folder: string): PostgresBinaries {
  const installed = findPostgres()
  if (installed === undefined) {
    throw new Error(`PostgreSQL for ${process.platform}-${process.arch} not found in node_modules`)
  }
  linkLibraries(installed)
  const native = join(installed, 'native')
  const user = process.getuid?.() === 0 ? nobody() : undefined
  if (canRun(join(native, 'bin'), user)) return { installed, bin: join(native, 'bin'), user }

  // The user cannot read the installed binaries, for example because they are in root's home folder.
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  return { installed, bin: join(copy, 'bin'), user }
}

/**
 * Creates the symbolic links between libraries, since npm packages cannot contain them and install scripts may be
 * disabled.
 */
function linkLibraries(installed: string): void {
  const list: unknown = JSON.parse(readFileSync(join(installed, 'native/pg-symlinks.json'), 'utf8'))
  for (const { source, target } of list as { source: string; target: string }[]) {
    const link = join(installed, target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

function nobody(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

function canRun(bin: string, user: PostgresBinaries['user']): boolean {
  try {
    execFileSync(join(bin, 'postgres'), ['--version'], { ...user, stdio: 'ignore' })
    return true
  } catch {
    return false // a folder in the path is not accessible; a broken binary fails later, in initdb
  }
}
