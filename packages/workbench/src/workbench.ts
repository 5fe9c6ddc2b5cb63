import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename } from 'node:path'
import type { Duplex } from 'node:stream'
import { ApiError, createLog, type InspectableRunStore, type Log, type SessionProvider } from '@sdk/server'
import { createNodeHandler, sendError, writeErrorResponse } from '@sdk/server/node'
import { Guard } from './guard.ts'
import { toManifest, type ProjectInfo, type WorkbenchApp } from './manifest.ts'
import type { Recording } from './recording.ts'
import { createApiApp } from './routes/api-app.ts'
import { createEventHub, type EventHub } from './routes/event-hub.ts'
import { PageSender } from './routes/pages.ts'
import { findTestRunner } from './routes/test-routes.ts'

const BASE_PATH = '/_workbench'
const OWN_PAGES_ONLY = 'the workbench accepts requests only from its own pages'
const LINK_REQUIRED = 'open the link that sdk dev printed; sdk info prints it again'

/** Headers sent with every response: pages cannot load resources from other hosts and cannot be framed. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Options for `createWorkbench`. */
export interface WorkbenchOptions {
  /** The app to inspect. It is read on every request, so it can change. */
  readonly app: WorkbenchApp
  /** The recorded runs. */
  readonly recording: Pick<Recording, 'store' | 'settings'>
  /** The project's folder. @default process.cwd() */
  readonly project?: string
  /** Returns the information about the project that can change at run time. @default none */
  readonly projectInfo?: () => Partial<ProjectInfo>
  /** The secret in the link that opens the workbench. @default a random one */
  readonly token?: string
  /** The address that the server listens on. @default '127.0.0.1' */
  readonly host?: string
  /** The event hub for the workbench pages. @default a new hub */
  readonly events?: EventHub
  /** Returns the store of the app's durable runs. @default null: the app has no durable agents */
  readonly durableRuns?: () => InspectableRunStore | null
  /** Returns the session provider of the app's auth. @default null: the app has no sign-in */
  readonly session?: () => SessionProvider | null
  /** Writes the files for a new agent and returns their paths. @default the UI cannot add agents */
  readonly addAgent?: (name: string) => readonly string[]
  /** The log for errors in the workbench itself. @default createLog() */
  readonly log?: Log
}

/** The development UI. A dev server passes it all requests under `/_workbench`. */
export interface Workbench {
  handle(request: IncomingMessage, response: ServerResponse): void
  /** Rejects a WebSocket request under `/_workbench`, for servers that accept WebSockets at other paths. */
  refuseUpgrade(request: IncomingMessage, stream: Duplex): void
  /** Returns the link that opens the workbench in a browser, given the server's URL. */
  linkAt(url: string): string
  /** Ends all event streams to the workbench pages. */
  close(): Promise<void>
}

/**
 * Creates the workbench for an app. It can be opened only through its link.
 * @example const workbench = createWorkbench({ app, recording })
 * serve(recording.recordApp(app), { fallback: workbench.handle })
 */
export function createWorkbench(options: WorkbenchOptions): Workbench {
  const { token = randomBytes(32).toString('base64url'), host = '127.0.0.1', events = createEventHub() } = options
  const guard = new Guard({ token, host })
  const pages = new PageSender({ nonce: guard.nonce })
  const api = createApi(options, events)
  const answer = createNodeHandler(api)

  return {
    handle(request, response) {
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value)
      const refusal = guard.rejectionOf(request)
      if (refusal !== null) return sendError(response, new ApiError('FORBIDDEN', refusal))
      const path = (request.url ?? '/').split('?', 1)[0] ?? '/'
      const isApi = path.startsWith(`${BASE_PATH}/api/`)
      const entry = guard.redeemLink(request)
      if (entry !== null && !isApi)
        // Redirect to the same page, so that the URL no longer contains the secret.
        return void response.writeHead(303, { 'set-cookie': entry.cookie, location: entry.location }).end()
      if (!guard.isAuthorized(request))
        return isApi
          ? sendError(response, new ApiError('UNAUTHORIZED', LINK_REQUIRED))
          : pages.sendClosed(path.slice(BASE_PATH.length), request, response)
      if (isApi && !guard.isOwnPage(request)) return sendError(response, new ApiError('FORBIDDEN', OWN_PAGES_ONLY))
      if (!isApi) return pages.send(path.slice(BASE_PATH.length), request, response)
      if (path === `${BASE_PATH}/api/events` && request.method === 'GET') return events.stream(request, response)
      answer(request, response)
    },
    refuseUpgrade(request, stream) {
      writeErrorResponse(stream, new ApiError('FORBIDDEN', guard.rejectionOf(request) ?? ''))
    },
    linkAt: (url) => `${url}${BASE_PATH}?token=${token}`,
    async close() {
      events.close()
      await api.close()
    },
  }
}

function createApi(options: WorkbenchOptions, events: EventHub): ReturnType<typeof createApiApp> {
  const { app, recording, project: root = process.cwd(), projectInfo, addAgent = null, log = createLog() } = options
  const canAdd = addAgent !== null
  const known = { project: basename(root), root, branch: null, revision: 1, isReloading: false, canAdd }
  return createApiApp({
    manifest: () => toManifest(app, { ...known, testRunner: findTestRunner(root), ...projectInfo?.() }),
    store: recording.store,
    settings: recording.settings,
    session: options.session ?? (() => null),
    durableRuns: options.durableRuns ?? (() => null),
    schedules: () => app.schedules?.() ?? [],
    live: () => app['~live']?.inspect() ?? null,
    project: root,
    addAgent,
    log,
    onCleared: () => events.emit('cleared', {}),
  })
}
