import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@sdk/server'
import { sendError } from '@sdk/server/node'
import { CLOSED_PAGE, CLOSED_STYLE } from './closed-page.ts'
import { readUi, type UiFile } from '../ui-files.ts'

/** Sends the UI. */
export interface PageSender {
  /** Sends the file at a path, or the page for a path of the UI's router. */
  send(path: string, request: IncomingMessage, response: ServerResponse): void
  /** Sends the page for browsers without the cookie, or its style; nothing else. */
  sendClosed(path: string, request: IncomingMessage, response: ServerResponse): void
}

/** The pages of the built UI. */
export function createPageSender(ui: ReadonlyMap<string, UiFile> = readUi()): PageSender {
  return {
    send(path, request, response) {
      if (!isRead(request)) return sendError(response, notAllowed(request))
      const file = ui.get(path) ?? (path.startsWith('/assets/') ? undefined : ui.get('/index.html'))
      if (file !== undefined) return void sendFile(file, request, response)
      const message = ui.size === 0 ? 'the workbench was not built' : `there is no file ${path}`
      sendError(response, new ApiError('NOT_FOUND', message))
    },
    sendClosed(path, request, response) {
      const isStyle = path === CLOSED_STYLE.path
      const type = `text/${isStyle ? 'css' : 'html'}; charset=utf-8`
      response.writeHead(isStyle ? 200 : 401, { 'content-type': type })
      response.end(request.method === 'HEAD' ? undefined : isStyle ? CLOSED_STYLE.text : CLOSED_PAGE)
    },
  }
}

async function sendFile(file: UiFile, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (file.isImmutable) response.setHeader('cache-control', 'private, max-age=31536000, immutable')
  const zipping = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '') ? file.zipped() : null
  const bytes = (await zipping) ?? file.bytes
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': bytes.length,
    vary: 'accept-encoding',
    ...(zipping !== null && { 'content-encoding': 'gzip' }),
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD'
}

function notAllowed({ method = '' }: IncomingMessage): ApiError {
  return new ApiError('METHOD_NOT_ALLOWED', `there is no ${method} here`, { headers: { allow: 'GET, HEAD' } })
}
