import { createReadStream, readdirSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, relative, sep } from 'node:path'
import { pipeline } from 'node:stream'
import { ApiError } from '@sdk/server'
import { sendError } from '@sdk/server/node'
import { isPageRequest } from './page-request.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.css': 'text/css; charset=utf-8',
  '.gif': 'image/gif',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.mjs': 'text/javascript; charset=utf-8',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.webp': 'image/webp',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.xml': 'application/xml',
}

/** Never a page of the app: the workbench, which is for development. */
const RESERVED = /^\/_workbench(?:\/|$)/

interface StaticFile {
  readonly path: string
  readonly size: number
  readonly headers: Readonly<Record<string, string>>
}

/** Serves a built web app. Files are listed once, so a path can name nothing else. */
export function createStaticFiles(folder: string): (request: IncomingMessage, response: ServerResponse) => void {
  const files = listFiles(folder)
  const page = files.get('/index.html')

  return function serveFile(request, response) {
    const path = decode((request.url ?? '/').split('?', 1)[0] ?? '/')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return sendError(
        response,
        new ApiError('METHOD_NOT_ALLOWED', `${path} takes GET and HEAD, not ${request.method}`),
      )
    }
    const file = files.get(path) ?? (isPageRequest(request) && !RESERVED.test(path) ? page : undefined)
    if (file === undefined) return sendError(response, new ApiError('NOT_FOUND', `there is no file ${path}`))
    sendFile(file, request, response)
  }
}

function sendFile(file: StaticFile, request: IncomingMessage, response: ServerResponse): void {
  if (request.headers['if-none-match'] === file.headers['etag']) {
    response.writeHead(304, file.headers).end()
    return
  }
  response.writeHead(200, { ...file.headers, 'content-length': String(file.size) })
  if (request.method === 'HEAD') response.end()
  else pipeline(createReadStream(file.path), response, () => {}) // a caller who leaves is no error
}

function listFiles(folder: string): ReadonlyMap<string, StaticFile> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return new Map(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      const url = `/${relative(folder, path).replaceAll(sep, '/')}`
      const { size, mtimeMs } = statSync(path)
      return [
        url,
        { path, size, headers: headersOf(url, `W/"${size.toString(36)}-${Math.floor(mtimeMs).toString(36)}"`) },
      ]
    }),
  )
}

/** Files in `/assets` have the hash of their content in their name: they never change. */
function headersOf(url: string, etag: string): Record<string, string> {
  return {
    'content-type': TYPES[extname(url).toLowerCase()] ?? 'application/octet-stream',
    'cache-control': url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    'x-content-type-options': 'nosniff',
    etag,
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // a malformed escape names no file
  }
}
