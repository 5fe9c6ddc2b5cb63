import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Encoding } from '../start/accept-encoding.ts'
import { isCompressible } from '../start/media-type.ts'

/** A file in a built web app. The server serves only the files that the build has listed. */
export interface WebFile {
  /** The path relative to the web app's folder, with forward slashes. */
  readonly name: string
  /** The sizes in bytes: unencoded, and in each encoding that is smaller. Encoded files are in the same folder. */
  readonly sizes: { readonly identity: number } & { readonly [encoding in Encoding]?: number }
  /** A hash of the content, for the ETag. */
  readonly tag: string
  /** Whether the name contains a hash of the content, so that the file never changes. */
  readonly isHashed: boolean
  /** The number of builds since the one that created the file. @default 0 */
  readonly age?: number
}

/** The suffixes of encoded files. */
export const ENCODING_SUFFIX = { br: '.br', gzip: '.gz' } as const

/** The minimum size for compression, in bytes. Smaller files fit into one packet anyway. */
const MIN_BYTES = 512

/** Compresses the files of a built web app and returns a list of them. Links and hidden files are omitted. */
export async function compressWebFiles(folder: string, hashed: ReadonlySet<string>): Promise<WebFile[]> {
  const names = listFiles(folder)
    .map((file) => relative(folder, file).replaceAll(sep, '/'))
    .filter((name) => !isHidden(name))
    .toSorted()
  return Promise.all(
    names.map(async (name) => {
      const content = await readFile(join(folder, name))
      return {
        name,
        sizes: { identity: content.length, ...(await compressBeside(join(folder, name), content)) },
        tag: createHash('sha256').update(content).digest('base64url').slice(0, 16),
        isHashed: hashed.has(name),
      }
    }),
  )
}

/**
 * Lists files recursively. Does not use the `recursive` option of `readdirSync`, which follows symbolic links to
 * folders as of Node 22.
 */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return listFiles(path)
    return entry.isFile() ? [path] : []
  })
}

/** Writes the encoded versions that are smaller than the file, and returns their sizes. */
async function compressBeside(path: string, content: Buffer): Promise<{ br?: number; gzip?: number }> {
  if (content.length < MIN_BYTES || !isCompressible(path)) return {}
  const [br, zipped] = await Promise.all([
    promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
    promisify(gzip)(content, { level: 9 }),
  ])
  const forms = { br, gzip: zipped }
  const kept = (['br', 'gzip'] as const).filter((encoding) => forms[encoding].length < content.length)
  await Promise.all(kept.map((encoding) => writeFile(path + ENCODING_SUFFIX[encoding], forms[encoding])))
  return Object.fromEntries(kept.map((encoding) => [encoding, forms[encoding].length]))
}

/** Returns whether a file is hidden. Files and folders that start with a dot are hidden, except `.well-known`. */
function isHidden(name: string): boolean {
  return name
    .replace(/^\.well-known\//, '')
    .split('/')
    .some((part) => part.startsWith('.'))
}
