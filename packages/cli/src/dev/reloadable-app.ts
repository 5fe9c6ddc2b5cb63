import type { App, Log, Reply, RouteInfo, Servable, ServerRequest, SessionProvider } from '@sdk/server'
import { isSystemPath, type SocketHub } from '@sdk/server/node'
import type { Problem, WorkbenchApp } from '@sdk/workbench'
import type { ComposedApp } from '../load/compose.ts'
import { toLoadProblem } from '../problem.ts'
import { closeWithin } from '../process-lifetime.ts'

/** How long the old app may take to end what its `onStart` began, before the new one starts beside it, in ms. */
const START_CLEANUP_MS = 1000

/** An app that can be replaced while it serves. While the next one is being made, calls wait for it. */
export interface ReloadableApp extends Servable, WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
  /** Finds the users of the current app; null where it has no sign-in. */
  readonly sessionProvider: SessionProvider | null
  /** Serves this app from now on; where it cannot be made, the last one stays. Settles when it does. */
  replaceWith(next: Promise<ComposedApp>): Promise<unknown>
}

/** Options of `createReloadableApp`. */
export interface ReloadableAppOptions {
  readonly log: Log
  /** They outlive each single app. */
  readonly sockets: SocketHub
  /** Called where `onStart` of the current app failed. A built server would exit; here the next change may fix it. */
  readonly onStartFailed: (problem: Problem) => void
}

/** Creates a reloadable app. Until the first `replaceWith`, calls wait. */
export function createReloadableApp({ log, sockets, onStartFailed }: ReloadableAppOptions): ReloadableApp {
  /** The apps that still answer; the current one is the last. */
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
      // Two changes may have been one load.
      ready = next.then((composed) => (current?.composed === composed ? before : activate(composed)), keepCurrent)
      // The maker of `next` and every call get this error; it must not be an unhandled rejection, too.
      ready.catch(() => {})
      resolveFirst(ready)
      return ready
    },
  }

  async function activate(composed: ComposedApp): Promise<AppGeneration> {
    const before = current
    const generation = (current = new AppGeneration(composed))
    generations.add(generation)
    // The work that the old `onStart` began ends first, so that no two timers run. Calls that the old app still answers go on.
    if (before !== undefined) await stopStartHooks(before.composed.app, log)
    if (current !== generation) return ready // the next one did not wait for that
    // The stores of the new app open before those of the old ones close, so that a database which both use stays open.
    const starting = startApp(composed)
    for (const old of generations) if (old !== generation) void old.idle().then(() => close(old))
    generation.startProblem = await starting
    if (generation.startProblem !== null && current === generation) onStartFailed(generation.startProblem)
    return current === generation ? generation : ready // one that was replaced meanwhile is closed
  }

  function keepCurrent(error: unknown): AppGeneration {
    if (current === undefined) throw error
    log.error('the project could not be loaded again: the last version stays', { error: String(error) })
    return current
  }

  async function close(generation: AppGeneration): Promise<void> {
    if (generations.delete(generation)) await closeApp(generation.composed.app, log)
  }
}

/** Starts an app; gives what is wrong with its `onStart`, null where nothing is. */
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
  log.warn('what the old onStart began has not ended: the new one begins beside it')
}

async function closeApp(app: App, log: Log): Promise<void> {
  try {
    await app.close()
  } catch (error) {
    log.warn('an old app did not close', { error: String(error) })
  }
}

/** One of the apps that a reloadable app has served. Counts the open answers: no store is closed during a stream. */
class AppGeneration {
  readonly composed: ComposedApp
  /** Why its `onStart` failed; null where it did not. */
  startProblem: Problem | null = null
  #open = 0
  #onIdle: (() => void) | null = null

  constructor(composed: ComposedApp) {
    this.composed = composed
  }

  /** The problems of its modules and of its `onStart`. */
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

  /** Resolves when all its answers have been sent completely. */
  async idle(): Promise<void> {
    if (this.#open > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve))
  }
}
