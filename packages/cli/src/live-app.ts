import type { App, Log, RouteInfo, Servable } from '@sdk/server'
import { isOwnPath } from '@sdk/server/node'
import type { Problem, WorkbenchApp } from '@sdk/workbench'
import type { Composed } from './compose.ts'

/** An app that can be exchanged while it serves: calls wait for the next one while it is being made. */
export interface LiveApp extends Servable, WorkbenchApp {
  readonly routes: readonly RouteInfo[]
  readonly problems: readonly Problem[]
  /** Serves this app from now on. It must not reject. */
  show(next: Promise<Composed>): void
}

/** A live app; until it is shown one, calls wait. */
export function createLiveApp(log: Log): LiveApp {
  let current: Composed | undefined
  let first: (next: Promise<Composed>) => void = () => {}
  let ready = new Promise<Composed>((resolve) => {
    first = resolve
  })
  const app = async (): Promise<App> => (await ready).app

  return {
    log,
    handle: async (call) => (await app()).handle(call),
    admit: async (call) => (await app()).admit(call),
    get sockets() {
      if (current === undefined) throw new TypeError('a socket was opened before there was an app')
      return current.app.sockets
    },
    get routes() {
      return current?.app.routes ?? []
    },
    get problems() {
      return current?.problems ?? []
    },
    metrics: null,
    owns: (target) => current?.app.owns(target) ?? isOwnPath(target),
    ready: () => Promise.resolve(),
    drain: () => current?.app.drain(),
    running: () => current?.app.running() ?? [],
    close: async () => current?.app.close(),
    show(next) {
      ready = next.then((composed) => {
        const before = current
        current = composed
        // Its stores are open before those of the old one close, so that a database they share stays open. What the old
        // one streams goes on, and the engine is the same.
        void composed.app.ready()
        before?.app.close().catch((error: unknown) => log.warn('an old app did not close', { error: String(error) }))
        return composed
      })
      first(ready)
    },
  }
}
