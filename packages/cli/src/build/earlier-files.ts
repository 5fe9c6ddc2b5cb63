import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ENCODING_SUFFIX, type WebFile } from './web-files.ts'

/** The file in `dist/server` that lists the files of the web app for the next build. */
const LIST = 'web-files.json'

/** The number of builds that keep a file. */
const MAX_AGE = 5

/**
 * Copies the files with hashed names of earlier builds, which open pages still load, into a new build. Returns the list
 * of all files.
 */
export function keepEarlierFiles(dist: string, outDir: string, files: readonly WebFile[]): WebFile[] {
  const names = new Set(files.map(({ name }) => name))
  const earlier = readList(join(dist, 'server', LIST))
    .map((file) => ({ ...file, age: (file.age ?? 0) + 1 }))
    .filter(({ name, isHashed, age }) => isHashed && age <= MAX_AGE && !names.has(name))
    .filter(({ name }) => existsSync(join(dist, 'web', name)))
  for (const { name, sizes } of earlier) {
    mkdirSync(dirname(join(outDir, name)), { recursive: true })
    for (const suffix of ['', ...Object.keys(sizes).map((encoding) => SUFFIXES[encoding] ?? '')])
      copyFileSync(join(dist, 'web', name + suffix), join(outDir, name + suffix))
  }
  return [...files, ...earlier]
}

const SUFFIXES: Readonly<Record<string, string>> = ENCODING_SUFFIX

/** Writes the list for the next build. */
export function writeFileList(serverDir: string, files: readonly WebFile[]): void {
  writeFileSync(join(serverDir, LIST), JSON.stringify(files))
}

/** Reads the list of the last build. A damaged list is ignored, since only open pages need the files. */
function readList(file: string): WebFile[] {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as WebFile[]
  } catch {
    return []
  }
}
