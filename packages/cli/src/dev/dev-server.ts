import { join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, Server } from '@sdk/server'
import { createSocketHub } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
import { createServer, type InlineConfig, type UserConfig } from 'vite'
import { createBackend, loadLate, type Loaded } from '../load/project-loader.ts'
import { compose, type Composed, type Shared } from '../load/compose.ts'
import { appSettings, type Config } from '../config.ts'
import { tellDatabaseProgress } from '../database-progress.ts'
import { createSqlDoor } from '../sql/sql-handler.ts'
import { createDevWorkbench } from './dev-workbench.ts'
import { discover, type Project } from '../discover.ts'
import { openEngine } from '../engine.ts'
import { onlyAtKnownHosts } from './allowed-hosts.ts'
import { serveNear } from '../listen.ts'
import { createLiveApp, type LiveApp } from './reloadable-app.ts'
import { createOverlay } from './overlay.ts'
import { toProblem } from '../problem.ts'
import { askDatabase } from '../sql/query-database.ts'
import type { ProjectState } from './project-state.ts'
import { createReloads } from './reload-queue.ts'
import { routeTypesFile, writeRouteTypes, type RouteTypesSource } from '../route-types/route-types.ts'
import { readableFolders, UNREADABLE, viteConfig } from '../vite-config.ts'
import { watchPlugin, type Change } from './watch-plugin.ts'
import { createWebDoor, type WebDoor } from './web-adapter.ts'
import { createWebLog } from './vite-logger.ts'

/** Where there are more agents to load than these, each is loaded when it is called, or after `REST_AFTER_MS`. */
const AGENTS_AT_ONCE = 8

/** How long after a load the agents that nobody has called are loaded, in ms. */
const REST_AFTER_MS = 250

/** What `startDevServer` takes. */
export interface DevServerOptions {
  readonly root: string
  /** For runs and Vite's cache. */
  readonly folder: string
  readonly port: number
  readonly host: string
  readonly log: Log
  /** What `sdk.config.ts` says. */
  readonly config: Config
  /** The secret that opens the workbench, and that lets `sdk run --as` act as a user. */
  readonly pass: string
  /** Told after each load: what changed (nothing, the first time), and how long it took. */
  readonly onLoaded: (composed: Composed, load: { files: readonly string[]; ms: number }) => void
  /** Told of what shows itself later: a file of the web app that does not compile, an `onStart` that fails. */
  readonly onBroken: (problem: Problem) => void
}

/** A running dev server. */
export interface DevServer {
  readonly url: string
  readonly port: number
  /** The link that opens the workbench. */
  readonly workbench: string
  close(): Promise<void>
}

/** Serves the web app, agents, routes, sockets and the workbench on one port; all of it reloads when files change. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { root, folder, config, onLoaded, onBroken } = options
  const { shared, state, live, door, server, ...port } = await openPort(options, onFault)
  const reloads = createReloads({ load, show, loadRest, pause, complete })
  const vite = await createServer(
    devConfig(discover(root), { http: server.http, folder, added: config.vite, onChange, onBroken }),
  )
  const keepTypes = typesKeeper(shared.log)
  const backend = createBackend(vite, { atOnce: AGENTS_AT_ONCE })
  const overlay = createOverlay(vite, root)
  door.open(vite, () => discover(root).web)
  await reloads.begin()
  return {
    url: server.url,
    port: server.port,
    workbench: port.workbench,
    async close() {
      await vite.close() // first, because the browser's hot-reload sockets would keep the server open
      await port.close()
    },
  }

  async function load(files: readonly string[]): Promise<Served> {
    const started = performance.now()
    state.count(files)
    const project = discover(root)
    const loaded = await backend.load(project, files)
    const composed = compose(project, loaded, shared)
    const { app, pointers, problems } = composed
    if (!problems.some(({ route }) => route === '/api/*')) keepTypes({ project, routes: app.routes, pointers })
    overlay.show(problems)
    onLoaded(composed, { files: files.map((file) => relative(root, file)), ms: performance.now() - started })
    return { composed, loaded }
  }

  function loadRest({ loaded }: Served, isWanted: () => boolean): Promise<Loaded | null> {
    return loadLate(loaded, isWanted)
  }

  function complete({ composed: { project, problems: told } }: Served, loaded: Loaded): Served {
    const composed = compose(project, loaded, shared)
    overlay.show(composed.problems)
    const isNew = (problem: Problem): boolean => !told.some((known) => known.route === problem.route)
    onLoaded({ ...composed, problems: composed.problems.filter(isNew) }, { files: [], ms: 0 })
    return { composed, loaded }
  }

  function show(next: Promise<Served>): void {
    state.follow(live.show(next.then(({ composed }) => composed)))
  }

  function onFault(problem: Problem): void {
    overlay.show(live.problems)
    onBroken(problem)
  }

  /**
   * A new or deleted file may be an agent, or one that another file could not import before. Vite itself reloads the
   * files of the browser.
   */
  function onChange({ file, type }: Change): void {
    const isInSource = file.startsWith(join(root, 'src') + sep) && !file.startsWith(join(root, 'src/web') + sep)
    const isNews = type !== 'update' && isInSource && file !== routeTypesFile(root)
    if (isNews || backend.has(file)) reloads.touch(file)
  }
}

/** The server that listens before there is an app. */
interface Port {
  readonly shared: Shared
  readonly state: ProjectState
  readonly live: LiveApp
  readonly door: WebDoor
  readonly server: Server
  /** The link that opens the workbench. */
  readonly workbench: string
  close(): Promise<void>
}

/** Listens, with the workbench. Calls of the app wait until it is loaded. */
async function openPort(options: DevServerOptions, onFault: (problem: Problem) => void): Promise<Port> {
  const { root, port, host, config, pass } = options
  const folder = join(options.folder, 'workbench')
  const { log, state, watch } = createDevWorkbench({ root, folder, host, pass, log: options.log })
  const engine = await openEngine({ from: join(root, 'package.json'), log, instances: 1 })
  const sockets = createSocketHub({ engine, log })
  const quiet = tellDatabaseProgress(log)
  const live = createLiveApp({ log, sockets, onFault })
  const { app, workbench, close } = watch(live)
  const door = createWebDoor(
    workbench,
    createSqlDoor(pass, (question) => askDatabase(root, question)),
  )
  const guarded = onlyAtKnownHosts(app, { host, allowed: config.vite?.server?.allowedHosts })
  const server = await serveNear(guarded, { port, host, fallback: door.handle, signals: false })
  server.http.on('upgrade', door.upgrade)
  return {
    shared: { engine, log, sockets, pass, ...appSettings(config) },
    state,
    live,
    door,
    server,
    workbench: workbench.linkAt(fromHere(server.url)),
    async close() {
      await workbench.close() // first, because its pages would keep the server open
      await server.close()
      await close()
      await engine.close()
      quiet()
    },
  }
}

/** Writes the file of route types after each load; warns once where it cannot. */
function typesKeeper(log: Log): (source: RouteTypesSource) => void {
  let isTold = false
  return (source) => {
    try {
      writeRouteTypes(source)
    } catch (error) {
      if (!isTold)
        log.warn('src/sdk-routes.d.ts cannot be written: types of routes may be out of date', { error: String(error) })
      isTold = true
    }
  }
}

function pause(): Promise<unknown> {
  return sleep(REST_AFTER_MS, undefined, { ref: false })
}

/** A URL that a browser can open: the address for all interfaces becomes that of this machine. */
function fromHere(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

/** An app, and what it was made of. */
interface Served {
  readonly composed: Composed
  readonly loaded: Loaded
}

interface DevParts {
  readonly http: Server['http']
  readonly folder: string
  readonly added: UserConfig | undefined
  readonly onChange: (change: Change) => void
  readonly onBroken: (problem: Problem) => void
}

function devConfig(project: Project, { http, folder, added, onChange, onBroken }: DevParts): InlineConfig {
  const config = viteConfig(project, added)
  const { root } = project
  const told = new Set<string>()
  /** Pages ask for a file as often as they like: what is wrong with it is told once, until something changes. */
  const tell = (problem: Problem): void => {
    const text = JSON.stringify(problem)
    if (!told.has(text)) onBroken(problem)
    told.add(text)
  }
  const forget = (change: Change): void => {
    told.clear()
    onChange(change)
  }
  return {
    ...config,
    root: join(root, 'src/web'), // even before it exists: it may be added later
    cacheDir: join(folder, 'vite'),
    customLogger: createWebLog((error) => tell(toProblem(error, { root, file: join(root, 'src/web'), route: '/' }))),
    plugins: [...(config.plugins ?? []), watchPlugin(join(project.root, 'src'), forget)],
    server: {
      middlewareMode: true,
      ws: { server: http },
      allowedHosts: added?.server?.allowedHosts ?? [],
      fs: { allow: [...readableFolders(project.root), join(folder, 'vite')], deny: [...UNREADABLE] },
    },
    optimizeDeps: { entries: ['index.tsx'] },
  }
}
