import { constants, realpathSync } from 'node:fs'
import { open, realpath, type FileHandle } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join, posix, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '@sdk/server'
import { isSystemPath, sendError } from '@sdk/server/node'
import { chooseEncoding, type Encoding } from './accept-encoding.ts'
import { parseRange, type ByteRange } from './byte-range.ts'
import { mediaTypeOf, hasFileExtension } from './media-type.ts'
import { isPageRequest } from '../page-request.ts'
import { ENCODING_SUFFIX, type WebFile } from '../build/web-files.ts'
import { toWebHeaders, type WebHeaders } from '../web-headers.ts'

/** Matches paths where the page is never served: hidden files and the workbench, which is for development only. */
const NEVER_PAGE = /\/\.|^\/_workbench(?:\/|$)/

/** Creates a handler that serves a built web app. Whatever the path, it serves only files that the build has listed. */
export function createStaticFiles(
  folder: string,
  files: readonly WebFile[],
  own: WebHeaders = {},
): (request: IncomingMessage, response: ServerResponse) => void {
  const root = realpathSync(folder)
  const byPath = new Map(files.map((file) => [`/${file.name}`, file]))
  const page = byPath.get('/index.html')
  const common = toWebHeaders(own)

  return function serveFile(request, response) {
    const path = decodePath((request.url ?? '/').split('?', 1)[0] ?? '/')
    if (request.method !== 'GET' && request.method !== 'HEAD') return sendMethodNotAllowed(path, request, response)
    const file = byPath.get(path) ?? (isPage(path, request) ? page : undefined)
    if (file === undefined) return sendError(response, new ApiError('NOT_FOUND', `file not found: ${path}`))
    void sendWebFile(file, { root, common, request, response })
  }
}

/** Returns whether to serve the page. Paths that a proxy or browser could normalize to an app route are excluded. */
function isPage(path: string, request: IncomingMessage): boolean {
  const plain = posix.normalize(`/${path.replaceAll('\\', '/')}`).replace(/^\/+/, '/')
  return !isSystemPath(plain) && !NEVER_PAGE.test(plain) && !hasFileExtension(path) && isPageRequest(request)
}

function sendMethodNotAllowed(path: string, { method }: IncomingMessage, response: ServerResponse): void {
  response.setHeader('allow', 'GET, HEAD')
  sendError(response, new ApiError('METHOD_NOT_ALLOWED', `${path} supports only GET and HEAD, got ${method}`))
}

interface FileRequest {
  readonly root: string
  /** The headers that all files share. */
  readonly common: Readonly<Record<string, string>>
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

async function sendWebFile(file: WebFile, { root, common, request, response }: FileRequest): Promise<void> {
  const { headers } = request
  const encoding = chooseEncoding(headers['accept-encoding'], (one) => file.sizes[one] !== undefined)
  const size = file.sizes[encoding] ?? file.sizes.identity
  const head = { ...common, ...fileHeaders(file, encoding) }
  if (!isExpectedVersion(headers['if-match'], head.etag)) return sendChanged(file, head.etag, response)
  if (matchesEtag(headers['if-none-match'], head.etag)) return void response.writeHead(304, head).end()
  const isPlain = encoding === 'identity'
  const about = { ...head, 'content-type': mediaTypeOf(file.name), ...(!isPlain && { 'content-encoding': encoding }) }
  const isWhole = request.method === 'HEAD' || (headers['if-range'] ?? head.etag) !== head.etag
  const range = isWhole ? null : parseRange(headers.range, size)
  if (range === 'unsatisfiable') {
    const refused = { 'cache-control': 'no-store', 'content-range': `bytes */${size}`, 'content-length': '0' }
    return void response.writeHead(416, { ...common, ...refused }).end()
  }
  if (request.method === 'HEAD') return void response.writeHead(200, { ...about, 'content-length': String(size) }).end()
  const content = await openFileInside(root, file.name + (isPlain ? '' : ENCODING_SUFFIX[encoding]))
  if (content === null) return sendError(response, new ApiError('NOT_FOUND', `file not found: /${file.name}`))
  if (!file.isHashed && (await content.stat()).size !== size) return sendNewer(content, about, response)
  await sendContent(content, { response, about, size, range })
}

/** Sends a file that a later build has replaced, as it does with the page until the server is restarted. */
async function sendNewer(content: FileHandle, about: Record<string, string>, response: ServerResponse): Promise<void> {
  const { etag: _, 'accept-ranges': __, ...headers } = about
  const { size } = await content.stat()
  await sendContent(content, { response, about: headers, size, range: null })
}

/**
 * Opens a file before the response head is written, so that a deleted file or a link to another folder results in a
 * 404.
 */
async function openFileInside(root: string, name: string): Promise<FileHandle | null> {
  try {
    const path = await realpath(join(root, name))
    return path.startsWith(root + sep) ? await open(path, constants.O_RDONLY | constants.O_NOFOLLOW) : null
  } catch {
    return null // deleted since the build
  }
}

async function sendContent(
  content: FileHandle,
  to: { response: ServerResponse; about: Record<string, string>; size: number; range: ByteRange | null },
): Promise<void> {
  const { response, about, size, range } = to
  const { start, end } = range ?? { start: 0, end: size - 1 }
  const part = range === null ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }
  response.writeHead(range === null ? 200 : 206, { ...about, ...part, 'content-length': String(end - start + 1) })
  try {
    if (size === 0) await content.close().then(() => response.end())
    else await pipeline(content.createReadStream({ start, end }), response)
  } catch {
    // A disconnected client is not an error. If reading fails, the response is cut off, which the client detects.
  }
}

/** Returns the headers for a file. Each encoding has its own ETag, since the bytes differ. */
function fileHeaders(file: WebFile, encoding: Encoding): Record<'etag', string> & Record<string, string> {
  const isEncoded = file.sizes.br !== undefined || file.sizes.gzip !== undefined
  return {
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
    'accept-ranges': 'bytes',
    etag: encoding === 'identity' ? `"${file.tag}"` : `"${file.tag}-${encoding}"`,
    ...(isEncoded && { vary: 'accept-encoding' }),
  }
}

function sendChanged({ name }: WebFile, etag: string, response: ServerResponse): void {
  response.setHeader('etag', etag)
  sendError(response, new ApiError('PRECONDITION_FAILED', `/${name} has changed: its ETag does not match If-Match`))
}

/**
 * Returns whether a file satisfies `If-Match`. Files are served without `Last-Modified`, so `If-Unmodified-Since` and
 * `If-Modified-Since` do not apply to them (RFC 9110 §13).
 */
function isExpectedVersion(header: string | undefined, etag: string): boolean {
  return header === undefined || header.trim() === '*' || header.split(',').some((one) => one.trim() === etag)
}

function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.trim() === '*' || header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag)
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // the path contains a malformed escape sequence
  }
}
