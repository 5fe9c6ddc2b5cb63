import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export { resolve as resolveFolder } from 'node:path'

/** Returns a hash of a text or of bytes, with 16 hexadecimal digits. */
export function shortHash(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex').slice(0, 16)
}

/** Reads the JSON files in a folder. The list is empty if the folder does not exist. */
export function readJsonFiles(folder: string): { name: string; text: string }[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
    return names.toSorted().map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return []
    throw error
  }
}

/** Writes a file in one step, so that other processes never read an incomplete file. Creates the folder. */
export function writeJsonFile(folder: string, name: string, value: unknown): void {
  mkdirSync(folder, { recursive: true })
  const draft = join(folder, `${name}.${randomUUID()}.tmp`)
  writeFileSync(draft, `${JSON.stringify(value, null, 2)}\n`)
  renameSync(draft, join(folder, name))
}
