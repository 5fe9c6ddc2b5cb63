import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LOCK_FOLDER } from './directory-lock.ts'
import type { PgliteEngine, PgliteEngineOptions } from './pglite-engine.ts'

/** An archive of an empty database, created by the build. Unpacking it is five times as fast as running `initdb`. */
const TEMPLATE_FILE = fileURLToPath(new URL('../../dist/template.tar.gz', import.meta.url))

/** The marker file of a database that is being created. While it exists, the directory contains no user data. */
const UNFINISHED_FILE = '.sdk-unfinished'
const UNFINISHED_TEXT =
  'A new database is being created here. If this file still exists at the next start, the database is created again.\n'

/** The entries that a directory without a database may contain. `lost+found` is in the root of a volume. */
const NON_DATA_ENTRIES: ReadonlySet<string> = new Set([LOCK_FOLDER, UNFINISHED_FILE, 'lost+found'])

/** Starts an engine in a directory, or in memory if `directory` is null. A new database is a copy of the template. */
export async function startFromTemplate(
  start: (options: PgliteEngineOptions) => Promise<PgliteEngine>,
  directory: string | null,
): Promise<PgliteEngine> {
  if (directory === null) return start({ directory, template: await readTemplate() })
  if (!isNewDatabase(directory)) return start({ directory, template: null })
  // The directory is emptied instead of removed, since it may be a volume or a link.
  for (const name of listDataFiles(directory)) rmSync(join(directory, name), { recursive: true, force: true })
  writeFileSync(join(directory, UNFINISHED_FILE), UNFINISHED_TEXT)
  const engine = await start({ directory, template: await readTemplate() })
  rmSync(join(directory, UNFINISHED_FILE))
  return engine
}

/** Returns whether the next start creates a new database in a directory. */
export function isNewDatabase(directory: string | null): boolean {
  return directory === null || isUnfinished(directory) || listDataFiles(directory).length === 0
}

/** Returns whether a directory has the marker file. The check is strict, since the directory will be emptied. */
function isUnfinished(directory: string): boolean {
  const mark = join(directory, UNFINISHED_FILE)
  return lstatSync(mark, { throwIfNoEntry: false })?.isFile() === true && readFileSync(mark, 'utf8') === UNFINISHED_TEXT
}

function listDataFiles(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => !NON_DATA_ENTRIES.has(name)) : []
}

/** Returns the unpacked template from the build, or null if the template is missing. */
export async function readTemplate(): Promise<PgliteEngineOptions['template']> {
  if (!existsSync(TEMPLATE_FILE)) return null
  // Unpacked with zlib, which is three times as fast as the streams that PGlite would use.
  return promisify(gunzip)(await readFile(TEMPLATE_FILE))
}
