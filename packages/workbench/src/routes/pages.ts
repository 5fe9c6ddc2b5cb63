import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '@sdk/server'
import { sendError } from '@sdk/server/node'
import { CLOSED_PAGE, CLOSED_STYLE } from './closed-page.ts'
import { isOpenedInTab } from '../guard.ts'
import { readUi, toUiFile, type UiFile } from '../ui-files.ts'

const PAGE_PATH = '/index.html'

/** A handler that serves the pages of the built UI. */
export class PageSender {
  readonly #ui: ReadonlyMap<string, UiFile>
  readonly #page: UiFile | undefined

  /** `nonce` is the value that a page sends with its API calls. */
  constructor({ nonce, ui = readUi() }: { nonce: string; ui?: ReadonlyMap<string, UiFile> }) {
    const html = ui.get(PAGE_PATH)?.bytes.toString()
    this.#page = html === undefined ? undefined : toUiFile(PAGE_PATH, Buffer.from(withNonce(html, nonce)))
    this.#ui = ui
  }

  /** Sends the file at a path, or the page if the path belongs to the UI's router. */
  send(path: string, request: IncomingMessage, response: ServerResponse): void {
    const { method = '' } = request
    if (method !== 'GET' && method !== 'HEAD') {
      const details = { headers: { allow: 'GET, HEAD' } }
      return sendError(response, new ApiError('METHOD_NOT_ALLOWED', `${method} is not supported here`, details))
    }
    const other = path === PAGE_PATH ? undefined : this.#ui.get(path)
    const file = other ?? (path.startsWith('/assets/') ? undefined : this.#page)
    if (file !== undefined && file === this.#page && !isOpenedInTab(request.headers))
      return sendError(response, new ApiError('FORBIDDEN', 'the workbench page can only be opened in a browser tab'))
    if (file !== undefined) return void sendFile(file, request, response)
    const message = this.#ui.size === 0 ? 'the workbench UI has not been built' : `file not found: ${path}`
    sendError(response, new ApiError('NOT_FOUND', message))
  }

  /** Sends the page for browsers without the cookie, or its stylesheet. */
  sendClosed(path: string, request: IncomingMessage, response: ServerResponse): void {
    const isStyle = path === CLOSED_STYLE.path
    const type = `text/${isStyle ? 'css' : 'html'}; charset=utf-8`
    response.writeHead(isStyle ? 200 : 401, { 'content-type': type })
    response.end(request.method === 'HEAD' ? undefined : isStyle ? CLOSED_STYLE.text : CLOSED_PAGE)
  }
}

function withNonce(html: string, nonce: string): string {
  return html.replace('</head>', `<meta name="workbench-nonce" content="${nonce}"></head>`)
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
