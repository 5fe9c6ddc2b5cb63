import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const COMMENT = /^\s*(?:\/\/|\/\*\*|\*)/

/** Counts the lines of the source files in a folder, without blank lines, comments and generated types. */
export function countLines(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const sources = files.filter((file) => /\.(?:ts|mjs|prisma)$/.test(file) && !file.endsWith('.d.ts'))
  const lines = sources.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
  return lines.filter((line) => line.trim() !== '' && !COMMENT.test(line)).length
}
