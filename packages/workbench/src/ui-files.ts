import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
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

/** A file in the built UI. */
export interface UiFile {
  readonly type: string
  readonly bytes: Buffer
  /** Whether the file's name contains a hash, which means that its content never changes. */
  readonly isImmutable: boolean
  /** Returns the gzipped content, compressed on the first call, or null if compression would not help. */
  zipped(): Promise<Buffer> | null
}

/** The folder that contains the built UI. The relative path is the same from src and from dist. */
const FOLDER = fileURLToPath(new URL('../dist/ui', import.meta.url))

/**
 * Reads the built UI into a map by path, such as `/index.html`. Symbolic links are skipped. The UI is small enough to
 * be kept in memory.
 */
export function readUi(folder: string = FOLDER): ReadonlyMap<string, UiFile> {
  return existsSync(folder) ? new Map(readFolder(folder, '')) : new Map()
}

/**
 * Reads files recursively. Does not use the `recursive` option of `readdirSync`, which in Node 22 follows symbolic
 * links to folders.
 */
function readFolder(folder: string, prefix: string): [path: string, file: UiFile][] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const file = join(folder, entry.name)
    const path = `${prefix}/${entry.name}`
    if (entry.isDirectory()) return readFolder(file, path)
    return entry.isFile() ? [[path, toUiFile(path, readFileSync(file))]] : []
  })
}

/** Creates a UI file from its path and content. */
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
