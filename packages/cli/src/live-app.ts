import type { App, Log, RouteInfo, Servable, Session } from '@sdk/server'
import { errorFields, isOwnPath, type SocketHub } from '@sdk/server/node'
import type { Problem, WorkbenchApp } from '@sdk/workbench'
import type { Composed } from './compose.ts'
import { createTenant, type Tenant } from './tenant.ts'

/** An app that can be exchanged while it serves: calls wait for the next one while it is being made. */
export interface LiveApp extends Servable, WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
  /** Who knows the users of the current one; null where nobody does. */
  readonly session: Session | null
  /** Serves this app from now on; where it cannot be made, the last one stays. */
  show(next: Promise<Composed>): void
}

/** A live app over sockets that outlive each app of its; until it is shown one, calls wait. */
export function createLiveApp(log: Log, sockets: SocketHub): LiveApp {
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
      return current?.composed.problems ?? []
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
      ready = next.then(moveIn, stay)
      // Told to whoever made it, and to every call.
      ready.catch(() => {})
      first(ready)
    },
  }

  async function moveIn(composed: Composed): Promise<Tenant> {
    if (current?.composed === composed) return current // two changes were one load
    const before = current
    const tenant = (current = createTenant(composed))
    tenants.add(tenant)
    // Its stores are open before those of the old one close, so that a database they share stays open. The sockets and
    // the engine are the same, and what the old one answers goes on.
    const begun = begin(composed.app, log)
    if (before !== undefined) void before.idle().then(() => close(before))
    await begun
    return tenant
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

/** A server would not start at all; here the next change may mend it. */
async function begin(app: App, log: Log): Promise<void> {
  try {
    await app.ready()
  } catch (error) {
    log.error('onStart failed: the app goes on without it', errorFields(error))
  }
}

async function end(app: App, log: Log): Promise<void> {
  try {
    await app.close()
  } catch (error) {
    log.warn('an old app did not close', { error: String(error) })
  }
}
