import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/** The number of results of matrices that a project keeps. */
const MAX_RESULTS = 200

/** Returns the folder with the results of matrices, whose file names begin with their time. */
export function matrixFolder(project: string): string {
  return join(project, '.sdk/matrix')
}

/** Stores the result of a matrix, and deletes the oldest ones. */
export function storeMatrix(project: string, result: { readonly at: string }): void {
  const folder = matrixFolder(project)
  writeJsonFile(folder, `${result.at.replaceAll(/\D/g, '')}-${randomUUID().slice(0, 8)}.json`, result)
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
  for (const name of names.toSorted().slice(0, -MAX_RESULTS)) rmSync(join(folder, name), { force: true })
}
