import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { ApiError } from '@sdk/server'
import { sendError, writeErrorResponse } from '@sdk/server/node'
import type { Workbench } from '@sdk/workbench'
import type { ViteDevServer } from 'vite'
import type { SqlHandler } from '../sql/sql-handler.ts'
import type { WebSource } from '../discover.ts'
import { isPageRequest } from '../page-request.ts'
import { readHtmlPage } from '../html-page.ts'

type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void

/** An adapter for requests outside `/agent`, `/api` and `/ws`: the workbench, and the web app once Vite has started. */
export interface WebAdapter {
  readonly handle: NodeHandler
  /** Rejects WebSocket connections to the workbench and to unknown paths. The app and Vite handle all others. */
  readonly upgrade: (request: IncomingMessage, stream: Duplex) => void
  /** Passes requests to Vite, including those that are already waiting. */
  attachVite(vite: ViteDevServer, web: () => WebSource | null): void
}

/** Creates the adapter. Requests for the web app wait for `attachVite`, since Vite needs a running server to start. */
export function createWebAdapter(workbench: Workbench, sql: SqlHandler): WebAdapter {
  let resolveHandler: (handler: NodeHandler) => void = () => {}
  const ready = new Promise<NodeHandler>((resolve) => {
    resolveHandler = resolve
  })
  return {
    handle(request, response) {
      if (sql(request, response)) return
      if (isWorkbench(request)) workbench.handle(request, response)
      else if (!isUrl(request)) sendError(response, new ApiError('INVALID_REQUEST', 'the URL is invalid'))
      else void ready.then((handler) => handler(request, response))
    },
    upgrade(request, stream) {
      const { url = '/', headers } = request
      // Other upgrades are ignored, and the request gets a normal response.
      if (!/websocket/i.test(headers.upgrade ?? '')) return
      if (isWorkbench(request)) workbench.refuseUpgrade(request, stream)
      else if (!url.startsWith('/ws/') && headers['sec-websocket-protocol']?.startsWith('vite-') !== true)
        writeErrorResponse(stream, new ApiError('NOT_FOUND', `no socket at ${url}: the app's sockets are under /ws`))
    },
    attachVite(vite, web) {
      resolveHandler((request, response) =>
        vite.middlewares(request, response, () => void sendPage(vite, web(), { request, response })),
      )
    },
  }
}

function isWorkbench({ url = '/' }: IncomingMessage): boolean {
  return /^\/_workbench(?:[/?]|$)/.test(url)
}

/** Returns whether the URL is valid. For an invalid URL, Vite would throw an uncaught error and never respond. */
function isUrl({ url = '/' }: IncomingMessage): boolean {
  return URL.canParse(url, 'http://localhost')
}

async function sendPage(
  vite: ViteDevServer,
  web: WebSource | null,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  const url = request.url ?? '/'
  if (web === null || !isPageRequest(request)) {
    const noWeb = 'this project has no web app: add src/web/index.tsx. The workbench is at /_workbench'
    return sendError(response, new ApiError('NOT_FOUND', web === null ? noWeb : `file not found: ${url}`))
  }
  try {
    const html = await vite.transformIndexHtml('/index.html', readHtmlPage(web), url)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : html)
  } catch (error) {
    sendError(response, new ApiError('INTERNAL_SERVER_ERROR', error instanceof Error ? error.message : String(error)))
  }
}
