import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** A file of the built UI. */
export interface UiFile {
  readonly type: string
  readonly bytes: Buffer
}

/** The built UI by path, such as `/index.html`. It is small: it stays in memory. */
export function readUi(): ReadonlyMap<string, UiFile> {
  // The same from src and from dist, where this module is.
  const folder = fileURLToPath(new URL('../dist/ui', import.meta.url))
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const type = TYPES[extname(path)] ?? 'application/octet-stream'
      return [`/${relative(folder, path).replaceAll(sep, '/')}`, { type, bytes: readFileSync(path) }]
    }),
  )
}
