import type { App, Log, Reply, RouteInfo, Servable, ServerRequest, SessionProvider } from '@sdk/server'
import { isSystemPath, type SocketHub } from '@sdk/server/node'
import type { WorkbenchSchedule, Problem, WorkbenchApp } from '@sdk/workbench'
import { createErrorReply } from '../load/error-reply.ts'
import type { ComposedApp } from '../load/compose.ts'
import { toLoadProblem } from '../problem.ts'
import { closeWithin } from '../process-lifetime.ts'

/** How long the old app's `onStart` cleanup may take before the new app starts, in ms. */
const START_CLEANUP_MS = 1000

/** An app that can be replaced while the server is running. Calls wait while the next app is being created. */
export interface ReloadableApp extends Servable, WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
  schedules(): readonly WorkbenchSchedule[]
  /** The session provider of the current app, or null if the app does not use auth. */
  readonly sessionProvider: SessionProvider | null
  /** Replaces the current app once `next` resolves, or keeps it if `next` rejects. Settles when the app is served. */
  replaceWith(next: Promise<ComposedApp>): Promise<unknown>
}

/** Options for `createReloadableApp`. */
export interface ReloadableAppOptions {
  readonly log: Log
  /** The socket hub, which outlives each app. */
  readonly sockets: SocketHub
  /**
   * Called when the current app's `onStart` fails. Unlike a built server, a dev server does not exit, since the next
   * change may fix the problem.
   */
  readonly onStartFailed: (problem: Problem) => void
}

/** Creates a reloadable app. Calls wait for the first `replaceWith`. */
export function createReloadableApp({ log, sockets, onStartFailed }: ReloadableAppOptions): ReloadableApp {
  /** The older apps that still have open responses, followed by the current app. */
  const generations = new Set<AppGeneration>()
  let current: AppGeneration | undefined
  let resolveFirst: (next: Promise<AppGeneration>) => void = () => {}
  let ready = new Promise<AppGeneration>((resolve) => (resolveFirst = resolve))
  const app = (): App | undefined => current?.composed.app

  return {
    log,
    sockets,
    handle: async (call) => (await ready).handle(call),
    toErrorReply: (error) => app()?.toErrorReply(error) ?? createErrorReply(error.status, error.code, error.message),
    admit: async (call) => (await ready).composed.app.admit(call),
    get routes() {
      return app()?.routes ?? []
    },
    get problems() {
      return current?.problems() ?? []
    },
    schedules: () => current?.composed.schedules ?? [],
    get '~live'() {
      return app()?.['~live']
    },
    get sessionProvider() {
      return current?.composed.sessionProvider ?? null
    },
    metrics: null,
    owns: (target) => app()?.owns(target) ?? isSystemPath(target),
    ready: () => Promise.resolve(),
    drain: () => app()?.drain(),
    running: () => Array.from(generations, (generation) => generation.composed.app.running()).flat(),
    close: () => Promise.all(Array.from(generations, close)).then(() => sockets.close()),
    replaceWith(next) {
      const before = ready
      // Two changes may share one load, which results in the same app.
      ready = next.then((composed) => (current?.composed === composed ? before : activate(composed)), keepCurrent)
      // The creator of `next` and every call receive this error, so it must not also cause an unhandled rejection.
      ready.catch(() => {})
      resolveFirst(ready)
      return ready
    },
  }

  async function activate(composed: ComposedApp): Promise<AppGeneration> {
    const before = current
    const generation = (current = new AppGeneration(composed))
    generations.add(generation)
    // The old `onStart` is cleaned up first, so that timers do not run twice. Pending calls to the old app continue.
    if (before !== undefined) await stopStartHooks(before.composed.app, log)
    if (current !== generation) return ready // replaced in the meantime
    // The new app's stores open before the old apps' stores close, so that a database that both use remains open.
    const starting = startApp(composed)
    for (const old of generations) if (old !== generation) void old.idle().then(() => close(old))
    generation.startProblem = await starting
    if (generation.startProblem !== null && current === generation) onStartFailed(generation.startProblem)
    return current === generation ? generation : ready // a replaced app may already be closed
  }

  function keepCurrent(error: unknown): AppGeneration {
    if (current === undefined) throw error
    log.error('reload failed: the previous version stays active', { error: String(error) })
    return current
  }

  async function close(generation: AppGeneration): Promise<void> {
    if (generations.delete(generation)) await closeApp(generation.composed.app, log)
  }
}

/** Starts an app. Returns a problem if its `onStart` fails, or null otherwise. */
async function startApp({ project: { root, api }, app }: ComposedApp): Promise<Problem | null> {
  try {
    await app.ready()
    return null
  } catch (error) {
    const at = app['~starts'].sourceLocation()
    const problem = toLoadProblem(error, { root, file: api ?? root, route: '/api/*', at })
    return { ...problem, message: `onStart failed: ${problem.message}` }
  }
}

async function stopStartHooks(app: App, log: Log): Promise<void> {
  if (await closeWithin(START_CLEANUP_MS, app['~starts'].stop)) return
  log.warn('the cleanup of the previous onStart has not finished: starting the new version anyway')
}

async function closeApp(app: App, log: Log): Promise<void> {
  try {
    await app.close()
  } catch (error) {
    log.warn('could not close the previous version of the app', { error: String(error) })
  }
}

/** One version of a reloadable app. It counts open responses, so that stores are not closed during a stream. */
class AppGeneration {
  readonly composed: ComposedApp
  /** The problem if `onStart` failed, or null otherwise. */
  startProblem: Problem | null = null
  #open = 0
  #onIdle: (() => void) | null = null

  constructor(composed: ComposedApp) {
    this.composed = composed
  }

  /** Returns the problems in the app's modules and in its `onStart`. */
  problems(): readonly Problem[] {
    return [...this.composed.problems, ...(this.startProblem === null ? [] : [this.startProblem])]
  }

  async handle(call: ServerRequest): Promise<Reply> {
    this.#open += 1
    const reply = await this.composed.app.handle(call)
    const { ended } = reply
    reply.ended = (bytes, isWhole) => {
      ended?.(bytes, isWhole)
      this.#open -= 1
      if (this.#open === 0) this.#onIdle?.()
    }
    return reply
  }

  /** Resolves when all responses have been sent completely. */
  async idle(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }
}
