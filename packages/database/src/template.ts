import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Engine, EngineOptions } from './pglite-engine.ts'

/** An empty database as `initdb` leaves it, made by the build: unpacking it takes a fifth of the time. */
const TEMPLATE = fileURLToPath(new URL('../dist/template.tar.gz', import.meta.url))

/** Starts an engine in a directory, or in memory when that is null; a new one begins as a copy of the template. */
export async function startFromTemplate(
  start: (options: EngineOptions) => Promise<Engine>,
  directory: string | null,
): Promise<Engine> {
  if (directory === null) return start({ directory, template: await readTemplate() })
  const mark = markOf(directory)
  if (existsSync(mark)) rmSync(directory, { recursive: true, force: true })
  if (existsSync(directory)) return start({ directory, template: null })
  writeFileSync(mark, '')
  const engine = await start({ directory, template: await readTemplate() })
  rmSync(mark)
  return engine
}

/** Will the next start make a new database there? */
export function isNew(directory: string | null): boolean {
  return directory === null || existsSync(markOf(directory)) || !existsSync(directory)
}

/** Stands beside the directory while it is being filled, when nothing in it can be anybody's data yet. */
function markOf(directory: string): string {
  return `${directory}.new`
}

async function readTemplate(): Promise<EngineOptions['template']> {
  if (!existsSync(TEMPLATE)) return null
  // Unpacked here: zlib is three times as fast at it as the streams that PGlite would use.
  return promisify(gunzip)(await readFile(TEMPLATE))
}
