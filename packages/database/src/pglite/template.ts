import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LOCK_FOLDER } from './directory-lock.ts'
import type { PgliteEngine, PgliteEngineOptions } from './pglite-engine.ts'

/** An empty database as `initdb` creates it, made by the build: unpacking it takes a fifth of the time. */
const TEMPLATE_FILE = fileURLToPath(new URL('../../dist/template.tar.gz', import.meta.url))

/** A marker file in a directory that is being filled: nothing else in it can be user data yet. */
const UNFINISHED_FILE = '.sdk-unfinished'
const UNFINISHED_TEXT =
  'A new database is being created here. While this file exists, the next start creates it again.\n'

/** Entries that a directory without a database may have; the last one is in the root of a volume. */
const NON_DATA_ENTRIES: ReadonlySet<string> = new Set([LOCK_FOLDER, UNFINISHED_FILE, 'lost+found'])

/** Starts an engine in a directory, or in memory if that is null; a new database is a copy of the template. */
export async function startFromTemplate(
  start: (options: PgliteEngineOptions) => Promise<PgliteEngine>,
  directory: string | null,
): Promise<PgliteEngine> {
  if (directory === null) return start({ directory, template: await readTemplate() })
  if (!isNewDatabase(directory)) return start({ directory, template: null })
  // Emptied, not removed: it may be a volume, or a link.
  for (const name of listDataFiles(directory)) rmSync(join(directory, name), { recursive: true, force: true })
  writeFileSync(join(directory, UNFINISHED_FILE), UNFINISHED_TEXT)
  const engine = await start({ directory, template: await readTemplate() })
  rmSync(join(directory, UNFINISHED_FILE))
  return engine
}

/** Returns whether the next start creates a new database there. */
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

/** Returns the unpacked template of the build, or null if it is missing. */
export async function readTemplate(): Promise<PgliteEngineOptions['template']> {
  if (!existsSync(TEMPLATE_FILE)) return null
  // Unpacked here: zlib is three times as fast as the streams that PGlite would use.
  return promisify(gunzip)(await readFile(TEMPLATE_FILE))
}
