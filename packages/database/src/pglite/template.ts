import { existsSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { LOCK_FOLDER } from './directory-lock.ts'
import type { Engine, EngineOptions } from './pglite-engine.ts'

/** An empty database as `initdb` leaves it, made by the build: unpacking it takes a fifth of the time. */
const TEMPLATE = fileURLToPath(new URL('../dist/template.tar.gz', import.meta.url))

/** Stands in a directory while it is being filled, when nothing else in it can be anybody's data yet. */
const MARK = '.sdk-unfinished'
const MARK_TEXT =
  'A new database is being made here. As long as this file is here, it is made anew at the next start.\n'

/** What a directory may have without a database being there; the last one is in the root of a volume. */
const NO_DATA: ReadonlySet<string> = new Set([LOCK_FOLDER, MARK, 'lost+found'])

/** Starts an engine in a directory, or in memory when that is null; a new one begins as a copy of the template. */
export async function startFromTemplate(
  start: (options: EngineOptions) => Promise<Engine>,
  directory: string | null,
): Promise<Engine> {
  if (directory === null) return start({ directory, template: await readTemplate() })
  if (!isNew(directory)) return start({ directory, template: null })
  // Emptied, not removed: it may be a volume, or somebody else's link.
  for (const name of readData(directory)) rmSync(join(directory, name), { recursive: true, force: true })
  writeFileSync(join(directory, MARK), MARK_TEXT)
  const engine = await start({ directory, template: await readTemplate() })
  rmSync(join(directory, MARK))
  return engine
}

/** Will the next start make a new database there? */
export function isNew(directory: string | null): boolean {
  return directory === null || isUnfinished(directory) || readData(directory).length === 0
}

/** Strict, since the directory will be emptied: only our own mark counts. */
function isUnfinished(directory: string): boolean {
  const mark = join(directory, MARK)
  return lstatSync(mark, { throwIfNoEntry: false })?.isFile() === true && readFileSync(mark, 'utf8') === MARK_TEXT
}

function readData(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory).filter((name) => !NO_DATA.has(name)) : []
}

async function readTemplate(): Promise<EngineOptions['template']> {
  if (!existsSync(TEMPLATE)) return null
  // Unpacked here: zlib is three times as fast at it as the streams that PGlite would use.
  return promisify(gunzip)(await readFile(TEMPLATE))
}
