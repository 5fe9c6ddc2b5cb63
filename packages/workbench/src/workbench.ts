import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename } from 'node:path'
import { ApiError } from '@sdk/server'
import { sendError } from '@sdk/server/node'
import { refusalOf } from './guard.ts'
import { toManifest, type ProjectFacts, type WorkbenchApp } from './manifest.ts'
import { readUi } from './ui-files.ts'

/** Everything below this path is the workbench. */
const PREFIX = '/_workbench'

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** What `createWorkbench` takes. */
export interface WorkbenchOptions {
  /** The app to look at. It may change: it is read at every request. */
  readonly app: WorkbenchApp
  /** The project's folder, shown by its name. @default process.cwd() */
  readonly project?: string
}

/** The development UI; a dev server gives it all requests at `/_workbench`. */
export interface Workbench {
  handle(request: IncomingMessage, response: ServerResponse): void
}

/**
 * A workbench for an app.
 * @example serve(app, { fallback: createWorkbench({ app }).handle })
 */
export function createWorkbench({ app, project = process.cwd() }: WorkbenchOptions): Workbench {
  const ui = readUi()

  return {
    handle(request, response) {
      const refusal = refusalOf(request)
      if (refusal !== null) return sendError(response, new ApiError('FORBIDDEN', refusal))
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
      if (path === `${PREFIX}/api/manifest`) return sendJson(response, toManifest(app, factsOf(project)))
      if (path.startsWith(`${PREFIX}/api/`))
        return sendError(response, new ApiError('NOT_FOUND', `there is nothing at ${path}`))
      const file = ui.get(path.slice(PREFIX.length)) ?? ui.get('/index.html')
      if (file === undefined) return sendError(response, new ApiError('NOT_FOUND', 'the workbench was not built'))
      response.writeHead(200, { ...HEADERS, 'content-type': file.type })
      response.end(request.method === 'HEAD' ? undefined : file.bytes)
    },
  }
}

/** What a workbench knows of a project that tells nothing of itself. */
function factsOf(root: string): ProjectFacts {
  return { project: basename(root), root, branch: null, revision: 1, isReloading: false, canAdd: false }
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}
