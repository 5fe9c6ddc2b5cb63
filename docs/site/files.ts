import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The root of the repository. */
export const ROOT: string = fileURLToPath(new URL('../../', import.meta.url))

/** The output folder of the site. */
export const OUT: string = join(ROOT, 'docs/dist')

/** Reads a file of the repository. */
export function readSource(source: string): string {
  return readFileSync(join(ROOT, source), 'utf8')
}

/** Returns whether a path is a file of the repository. */
export function isFile(source: string): boolean {
  const path = join(ROOT, source)
  return existsSync(path) && statSync(path).isFile()
}

/** Writes a file of the site. */
export function writePlace(out: string, place: string, text: string): void {
  mkdirSync(dirname(join(out, place)), { recursive: true })
  writeFileSync(join(out, place), text)
}

/** Copies a file of the repository into the site. */
export function copySource(out: string, source: string, place: string): void {
  mkdirSync(dirname(join(out, place)), { recursive: true })
  cpSync(join(ROOT, source), join(out, place))
}

/** Copies a file of an installed package into the site. */
export function copyPackageFile(out: string, file: string, place: string): void {
  cpSync(createRequire(import.meta.url).resolve(file), join(out, place))
}
