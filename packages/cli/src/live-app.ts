import type { App, Log, RouteInfo, Servable, Session } from '@sdk/server'
import { isOwnPath, type SocketHub } from '@sdk/server/node'
import type { Problem, WorkbenchApp } from '@sdk/workbench'
import type { Composed } from './compose.ts'
import { toProblem } from './problem.ts'
import { closeWithin } from './shutdown.ts'
import { createTenant, type Tenant } from './tenant.ts'

/** How long what `onStart` began may take to end before the next one begins beside it, in ms. */
const END_MS = 1000

/** An app that can be exchanged while it serves: calls wait for the next one while it is being made. */
export interface LiveApp extends Servable, WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
  /** Who knows the users of the current one; null where nobody does. */
  readonly session: Session | null
  /** Serves this app from now on; where it cannot be made, the last one stays. Settles when it does. */
  show(next: Promise<Composed>): Promise<unknown>
}

/** What `createLiveApp` takes. */
export interface LiveAppOptions {
  readonly log: Log
  /** They outlive each app of its. */
  readonly sockets: SocketHub
  /** Told where `onStart` of the current app failed: a server would not start at all, here the next change may mend it. */
  readonly onFault: (problem: Problem) => void
}

/** A live app; until it is shown one, calls wait. */
export function createLiveApp({ log, sockets, onFault }: LiveAppOptions): LiveApp {
  /** The current one comes last; before it are those that still answer. */
  const tenants = new Set<Tenant>()
  let current: Tenant | undefined
  let first: (next: Promise<Tenant>) => void = () => {}
  let ready = new Promise<Tenant>((resolve) => {
    first = resolve
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
    get session() {
      return current?.composed.session ?? null
    },
    metrics: null,
    owns: (target) => app()?.owns(target) ?? isOwnPath(target),
    ready: () => Promise.resolve(),
    drain: () => app()?.drain(),
    running: () => Array.from(tenants, (tenant) => tenant.composed.app.running()).flat(),
    async close() {
      await Promise.all(Array.from(tenants, close))
      await sockets.close()
    },
    show(next) {
      const before = ready
      // Two changes may have been one load.
      ready = next.then((composed) => (current?.composed === composed ? before : moveIn(composed)), stay)
      // Told to whoever made it, and to every call.
      ready.catch(() => {})
      first(ready)
      return ready
    },
  }

  async function moveIn(composed: Composed): Promise<Tenant> {
    const before = current
    const tenant = (current = createTenant(composed))
    tenants.add(tenant)
    // At once, so that no two timers tick; what the old one answers goes on.
    if (before !== undefined) await endStarts(before.composed.app, log)
    if (current !== tenant) return ready // the next one did not wait for that
    // Its stores are open before those of the old ones close, so that a database they share stays open. The sockets and
    // the engine are the same.
    const begun = begin(composed)
    for (const old of tenants) if (old !== tenant) void old.idle().then(() => close(old))
    tenant.fault = await begun
    if (tenant.fault !== null && current === tenant) onFault(tenant.fault)
    return current === tenant ? tenant : ready // one that was replaced meanwhile is closed
  }

  function stay(error: unknown): Tenant {
    if (current === undefined) throw error
    log.error('the project could not be loaded again: what was there before goes on', { error: String(error) })
    return current
  }

  async function close(tenant: Tenant): Promise<void> {
    if (tenants.delete(tenant)) await end(tenant.composed.app, log)
  }
}

/** Gives what is wrong with its `onStart`; null where nothing is. */
async function begin({ project: { root, api }, app }: Composed): Promise<Problem | null> {
  try {
    await app.ready()
    return null
  } catch (error) {
    const problem = toProblem(error, { root, file: api ?? root, route: '/api/*', at: app['~starts'].place() })
    return { ...problem, message: `onStart failed: ${problem.message}` }
  }
}

async function endStarts(app: App, log: Log): Promise<void> {
  if (await closeWithin(END_MS, app['~starts'].end)) return
  log.warn('what the old onStart began has not ended: the new one begins beside it')
}

async function end(app: App, log: Log): Promise<void> {
  try {
    await app.close()
  } catch (error) {
    log.warn('an old app did not close', { error: String(error) })
  }
}
