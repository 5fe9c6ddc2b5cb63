import { readFileSync } from 'node:fs'

/** A location in a file. Columns start at 0. */
export type ImportLocation = Readonly<{ file: string; line: number; column: number }>

/**
 * Finds the import of a module in a file, for errors without a location. Returns the start of the file if there is no
 * such import.
 */
export function locateImport(name: string, file: string): ImportLocation {
  const lines = readFileSync(file, 'utf8').split('\n')
  const line = lines.findIndex((text) => text.includes(`'${name}'`) || text.includes(`"${name}"`))
  return { file, line: Math.max(line, 0) + 1, column: Math.max(lines[line]?.indexOf(name) ?? 0, 0) }
}
