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

/** Handles requests outside of `/agent`, `/api` and `/ws`: the workbench, and the web app once Vite is up. */
export interface WebAdapter {
  readonly handle: NodeHandler
  /** Refuses WebSockets at the workbench and at paths without one. The app and Vite answer the others. */
  readonly upgrade: (request: IncomingMessage, stream: Duplex) => void
  /** Hands Vite the requests that wait for it. */
  attachVite(vite: ViteDevServer, web: () => WebSource | null): void
}

/** Requests of the web app wait until `attachVite`, since Vite needs the running server before it can start. */
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
      // Other upgrades are ignored: the request gets a normal answer.
      if (!/websocket/i.test(headers.upgrade ?? '')) return
      if (isWorkbench(request)) workbench.refuseUpgrade(request, stream)
      else if (!url.startsWith('/ws/') && headers['sec-websocket-protocol']?.startsWith('vite-') !== true)
        writeErrorResponse(
          stream,
          new ApiError('NOT_FOUND', `there is no socket at ${url}: those of the app are below /ws`),
        )
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

/** Vite would throw an uncaught error at an invalid URL, and the caller would get no answer. */
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
    const noWeb = 'this project has no web app: add src/web/index.tsx and it is here. The workbench is at /_workbench'
    return sendError(response, new ApiError('NOT_FOUND', web === null ? noWeb : `there is no file ${url}`))
  }
  try {
    const html = await vite.transformIndexHtml('/index.html', readHtmlPage(web), url)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
    response.end(request.method === 'HEAD' ? undefined : html)
  } catch (error) {
    sendError(response, new ApiError('INTERNAL_SERVER_ERROR', error instanceof Error ? error.message : String(error)))
  }
}
