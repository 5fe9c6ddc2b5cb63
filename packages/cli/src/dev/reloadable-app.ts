import type { App, Log, Reply, RouteInfo, Servable, ServerRequest, SessionProvider } from '@sdk/server'
import { isSystemPath, type SocketHub } from '@sdk/server/node'
import type { Problem, WorkbenchApp } from '@sdk/workbench'
import type { ComposedApp } from '../load/compose.ts'
import { toLoadProblem } from '../problem.ts'
import { closeWithin } from '../process-lifetime.ts'

/** The time that the cleanup of the old `onStart` has before the new app starts, in ms. */
const START_CLEANUP_MS = 1000

/** An app that can be replaced while it serves. While the next one is being created, calls wait for it. */
export interface ReloadableApp extends Servable, WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
  /** The session provider of the current app, or null if it has no sign-in. */
  readonly sessionProvider: SessionProvider | null
  /** Serves this app once it is created; if that fails, the previous one is kept. Settles when it is served. */
  replaceWith(next: Promise<ComposedApp>): Promise<unknown>
}

/** Options for `createReloadableApp`. */
export interface ReloadableAppOptions {
  readonly log: Log
  /** The sockets, which outlive each app. */
  readonly sockets: SocketHub
  /** Called when `onStart` of the current app failed. A built server would exit; here the next change may fix it. */
  readonly onStartFailed: (problem: Problem) => void
}

/** Creates a reloadable app. Until the first `replaceWith`, calls wait. */
export function createReloadableApp({ log, sockets, onStartFailed }: ReloadableAppOptions): ReloadableApp {
  /** The apps with open responses; the current one is the last. */
  const generations = new Set<AppGeneration>()
  let current: AppGeneration | undefined
  let resolveFirst: (next: Promise<AppGeneration>) => void = () => {}
  let ready = new Promise<AppGeneration>((resolve) => {
    resolveFirst = resolve
  })
  const app = (): App | undefined => current?.composed.app

  return {
    log,
    sockets,
    handle: async (call) => (await ready).handle(call),
    admit: async (call) => (await ready).composed.app.admit(call),
    get routes() {
      return app()?.routes ?? []
    },
    get problems() {
      return current?.problems() ?? []
    },
    get sessionProvider() {
      return current?.composed.sessionProvider ?? null
    },
    metrics: null,
    owns: (target) => app()?.owns(target) ?? isSystemPath(target),
    ready: () => Promise.resolve(),
    drain: () => app()?.drain(),
    running: () => Array.from(generations, (generation) => generation.composed.app.running()).flat(),
    async close() {
      await Promise.all(Array.from(generations, close))
      await sockets.close()
    },
    replaceWith(next) {
      const before = ready
      // Two changes may result in one load.
      ready = next.then((composed) => (current?.composed === composed ? before : activate(composed)), keepCurrent)
      // The creator of `next` and every call receive this error; it must not be an unhandled rejection, too.
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
    // The stores of the new app open before those of the old ones close, so that a database which both use stays open.
    const starting = startApp(composed)
    for (const old of generations) if (old !== generation) void old.idle().then(() => close(old))
    generation.startProblem = await starting
    if (generation.startProblem !== null && current === generation) onStartFailed(generation.startProblem)
    return current === generation ? generation : ready // an app that was replaced in the meantime is closed
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

/** Starts an app; returns the problem of its `onStart`, or null. */
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
  log.warn('the cleanup of the previous onStart has not finished: starting the new version')
}

async function closeApp(app: App, log: Log): Promise<void> {
  try {
    await app.close()
  } catch (error) {
    log.warn('could not close the previous version of the app', { error: String(error) })
  }
}

/** An app of a reloadable app. Counts the open responses: stores are not closed during a stream. */
class AppGeneration {
  readonly composed: ComposedApp
  /** The problem of its `onStart`, or null. */
  startProblem: Problem | null = null
  #open = 0
  #onIdle: (() => void) | null = null

  constructor(composed: ComposedApp) {
    this.composed = composed
  }

  /** Returns the problems of its modules and of its `onStart`. */
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

  /** Resolves when all its responses have been sent completely. */
  async idle(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }
}
