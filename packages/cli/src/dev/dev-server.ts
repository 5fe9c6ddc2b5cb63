import { join, relative, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log, Server } from '@sdk/server'
import { createSocketHub, errorFields } from '@sdk/server/node'
import type { Problem } from '@sdk/workbench'
import { createServer, type InlineConfig, type ViteDevServer } from 'vite'
import { createProjectLoader, loadLazyAgents, type ProjectModules } from '../load/project-loader.ts'
import { compose, type ComposedApp, type AppEnvironment } from '../load/compose.ts'
import { appSettings, type Config } from '../config.ts'
import { logDatabaseProgress } from '../database-progress.ts'
import { createSqlHandler } from '../sql/sql-handler.ts'
import { createDevWorkbench } from './dev-workbench.ts'
import { discover } from '../discover.ts'
import { openEngineFromEnv } from '../engine.ts'
import { restrictHosts } from './allowed-hosts.ts'
import { serveNearPort } from '../listen.ts'
import { createReloadableApp } from './reloadable-app.ts'
import { createInstallWatch } from './install-watch.ts'
import { createOverlay, overlayHintPlugin } from './overlay.ts'
import { beginMigrations } from '../migrate/migration-files.ts'
import { toLoadProblem } from '../problem.ts'
import { queryDatabase } from '../sql/query-database.ts'
import { createReloadQueue } from './reload-queue.ts'
import { createProjectRuns } from '../run-store.ts'
import { routeTypesFile, writeRouteTypes } from '../route-types/route-types.ts'
import { createUnreadFilesWarner } from '../unread-files.ts'
import { servableFolders, deniedFiles, viteConfig } from '../vite-config.ts'
import { watchPlugin, type FileChange } from './watch-plugin.ts'
import { createWebAdapter } from './web-adapter.ts'
import { createViteLogger } from './vite-logger.ts'

/**
 * The maximum number of agents to load eagerly. If there are more, agents are loaded when they are called, or after
 * `LAZY_LOAD_DELAY_MS`.
 */
const EAGER_AGENT_LIMIT = 8

const LAZY_LOAD_DELAY_MS = 250

/** Options for `startDevServer`. */
export interface DevServerOptions {
  readonly root: string
  /** The folder for recorded runs and Vite's cache. */
  readonly folder: string
  readonly port: number
  readonly host: string
  readonly log: Log
  /** The settings in `sdk.config.ts`. */
  readonly config: Config
  /** The secret that opens the workbench and allows `sdk run --as` to act as a user. */
  readonly pass: string
  /** Called after each load with the changed files (empty the first time) and the duration. */
  readonly onLoaded: (composed: ComposedApp, load: { files: readonly string[]; ms: number }) => void
  /** Called for problems that are found later: a file in the web app does not compile, or `onStart` fails. */
  readonly onProblem: (problem: Problem) => void
}

/** A running dev server. */
export interface DevServer {
  readonly url: string
  readonly port: number
  /** The link that opens the workbench. */
  readonly workbench: string
  close(): Promise<void>
}

/** Serves the web app, agents, routes, sockets and the workbench on one port, and reloads them when files change. */
export async function startDevServer(options: DevServerOptions): Promise<DevServer> {
  const { root, onLoaded, onProblem } = options
  const { shared, state, reloadable, web, server, ...port } = await openPort(options, onStartFailed)
  const reloads = createReloadQueue({
    load,
    onLoad: serve,
    loadRest: ({ loaded }: ServedApp, isCurrent) => loadLazyAgents(loaded, isCurrent),
    pause: () => sleep(LAZY_LOAD_DELAY_MS, undefined, { ref: false }),
    complete,
  })
  const onWebProblem = (problem: Problem): void => (problems.watch(), onProblem(problem))
  const vite = await createServer(viteDevConfig({ ...options, onProblem: onWebProblem }, server.http, onChange))
  const updateRouteTypes = createRouteTypesWriter(shared.log)
  const loader = createProjectLoader(vite, { ...options.config, eagerLimit: EAGER_AGENT_LIMIT })
  const problems = createProblemDisplay(vite, root, reloads.fileChanged)
  const warnOfUnreadFiles = createUnreadFilesWarner(root, shared.log)
  web.attachVite(vite, () => discover(root).web)
  await reloads.start()
  return {
    url: server.url,
    port: server.port,
    workbench: port.workbench,
    async close() {
      problems.close()
      await vite.close() // closed first, because the browser's hot-reload sockets would keep the server open
      await port.close()
    },
  }

  async function load(files: readonly string[]): Promise<ServedApp> {
    const started = performance.now()
    state.beginLoad(files)
    warnOfUnreadFiles()
    const project = discover(root)
    const loaded = await loader.load(project, files)
    const composed = compose(project, loaded, { ...shared, ...(await port.runs.open(loaded.agents)) })
    if (!composed.problems.some(({ route }) => route === '/api/*')) updateRouteTypes(composed)
    problems.show(composed.problems)
    onLoaded(composed, { files: files.map((file) => relative(root, file)), ms: performance.now() - started })
    return { composed, loaded }
  }

  function complete({ composed: { project, problems: reported } }: ServedApp, loaded: ProjectModules): ServedApp {
    const composed = compose(project, loaded, { ...shared, ...port.runs.current() })
    problems.show(composed.problems)
    const isNew = (problem: Problem): boolean => !reported.some((known) => known.route === problem.route)
    onLoaded({ ...composed, problems: composed.problems.filter(isNew) }, { files: [], ms: 0 })
    return { composed, loaded }
  }

  function serve(next: Promise<ServedApp>): void {
    state.track(reloadable.replaceWith(next.then(({ composed }) => composed)))
  }

  function onStartFailed(problem: Problem): void {
    problems.show(reloadable.problems)
    onProblem(problem)
  }

  /**
   * Reloads the server when a file changes. An added or deleted file may be an agent, or a file that another file
   * failed to import. Vite itself reloads browser files.
   */
  function onChange({ file, type }: FileChange): void {
    const isInSource = file.startsWith(join(root, 'src') + sep) && !file.startsWith(join(root, 'src/web') + sep)
    const isAddedOrDeleted = type !== 'update' && isInSource && file !== routeTypesFile(root)
    if (isAddedOrDeleted || loader.has(file)) reloads.fileChanged(file)
  }
}

/** Starts the server with the workbench before the app is loaded. Calls to the app wait until it is loaded. */
async function openPort(options: DevServerOptions, onStartFailed: (problem: Problem) => void) {
  const { root, port, host, config, pass } = options
  const folder = join(options.folder, 'workbench')
  const { log, state, attach } = createDevWorkbench(root, options.log, { folder, host, token: pass })
  const engine = await openEngineFromEnv({ from: join(root, 'package.json'), log, instances: 1 })
  const sockets = createSocketHub({ engine, log })
  const runs = createProjectRuns(join(root, 'package.json'), log)
  const stopProgressLog = logDatabaseProgress(log)
  const source = { folder: join(root, 'migrations'), from: join(root, 'package.json') }
  const { applied } = await beginMigrations(source, log)
  await applied.catch((error: unknown) => log.error('could not apply the migrations', errorFields(error)))
  const reloadable = createReloadableApp({ log, sockets, onStartFailed })
  const { app, observeRun, workbench, close } = attach(reloadable, () => runs.current().runs ?? null)
  const sqlHandler = createSqlHandler({ pass, host }, (statement) => queryDatabase(root, statement))
  const web = createWebAdapter(workbench, sqlHandler)
  const guarded = restrictHosts(app, { host, allowed: config.vite?.server?.allowedHosts })
  const server = await serveNearPort(guarded, { port, host, fallback: web.handle, signals: false })
  server.http.on('upgrade', web.upgrade)
  return {
    shared: { engine, log, sockets, pass, '~observeRun': observeRun, ...appSettings(config) } satisfies AppEnvironment,
    runs,
    state,
    reloadable,
    web,
    server,
    workbench: workbench.linkAt(toLocalUrl(server.url)),
    async close() {
      await workbench.close() // closed first, because its pages would keep the server open
      await server.close()
      await close()
      await runs.close()
      await engine.close()
      stopProgressLog()
    },
  }
}

/** Shows problems in the page. While there are any, the installation of a missing package reloads the app and the page. */
function createProblemDisplay(vite: ViteDevServer, root: string, reload: (file: string) => void) {
  const showOverlay = createOverlay(vite, root)
  const installs = createInstallWatch(root, () => {
    reload(join(root, 'package.json'))
    vite.ws.send({ type: 'full-reload' })
  })
  return {
    show(problems: readonly Problem[]): void {
      showOverlay(problems)
      if (problems.length > 0) installs.start()
      else installs.stop()
    },
    watch: installs.start,
    close: installs.stop,
  }
}

/** Creates a function that writes the route types after each load, and warns only once if this fails. */
function createRouteTypesWriter(log: Log): (composed: ComposedApp) => void {
  let hasWarned = false
  return ({ project, app: { routes }, pointers }) => {
    try {
      writeRouteTypes({ project, routes, pointers })
    } catch (error) {
      if (!hasWarned)
        log.warn('cannot write src/sdk-routes.d.ts: route types may be out of date', { error: String(error) })
      hasWarned = true
    }
  }
}

/** Returns a URL that a browser can open, with the address for all interfaces replaced by the loopback address. */
function toLocalUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

interface ServedApp {
  readonly composed: ComposedApp
  readonly loaded: ProjectModules
}

function viteDevConfig(
  { root, folder, config: { vite: added }, onProblem }: DevServerOptions,
  http: Server['http'],
  onChange: (change: FileChange) => void,
): InlineConfig {
  const config = viteConfig(discover(root), added)
  const reported = new Set<string>()
  /** Reports each problem only once until a file changes, since pages may request a broken file many times. */
  const report = (problem: Problem): void => {
    const text = JSON.stringify(problem)
    if (!reported.has(text)) onProblem(problem)
    reported.add(text)
  }
  const forget = (change: FileChange): void => {
    reported.clear()
    onChange(change)
  }
  return {
    ...config,
    root: join(root, 'src/web'), // set even if the folder does not exist, since it may be added later
    cacheDir: join(folder, 'vite'),
    customLogger: createViteLogger((error) =>
      report(toLoadProblem(error, { root, file: join(root, 'src/web'), route: '/' })),
    ),
    plugins: [...(config.plugins ?? []), overlayHintPlugin, watchPlugin(join(root, 'src'), forget)],
    server: {
      middlewareMode: true,
      ws: { server: http },
      ...(added?.server?.hmr !== undefined && { hmr: added.server.hmr }),
      allowedHosts: added?.server?.allowedHosts ?? [],
      fs: { allow: [...servableFolders(root), join(folder, 'vite')], deny: deniedFiles(root) },
    },
    optimizeDeps: { entries: ['index.tsx'] },
  }
}
