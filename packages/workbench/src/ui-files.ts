import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

const zip = promisify(gzip)

/** A file of the built UI. */
export interface UiFile {
  readonly type: string
  readonly bytes: Buffer
  /** Does its name contain a hash, so that it never changes? */
  readonly isImmutable: boolean
  /** The bytes, gzipped on the first call; null where they would not get smaller. */
  zipped(): Promise<Buffer> | null
}

/** The built UI by path, such as `/index.html`. It is small enough to stay in memory. */
export function readUi(): ReadonlyMap<string, UiFile> {
  // The same path from src and from dist.
  const folder = fileURLToPath(new URL('../dist/ui', import.meta.url))
  if (!existsSync(folder)) return new Map()
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const file = join(entry.parentPath, entry.name)
      const path = `/${relative(folder, file).replaceAll(sep, '/')}`
      return [path, toUiFile(path, readFileSync(file))]
    }),
  )
}

/** A file of the UI, by its path and what is in it. */
export function toUiFile(path: string, bytes: Buffer): UiFile {
  const type = CONTENT_TYPES[extname(path)] ?? 'application/octet-stream'
  const isText = /^text\/|svg/.test(type)
  let done: Promise<Buffer> | undefined
  return {
    type,
    bytes,
    isImmutable: path.startsWith('/assets/'),
    zipped: () => (isText ? (done ??= zip(bytes)) : null),
  }
}
