import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import {
  createApp,
  createLog,
  createRouter,
  serve,
  type Agent,
  type App,
  type EnvError,
  type FormatError,
  type Router,
  type Server,
} from '@sdk/server'
import { collectEnvErrors } from '@sdk/server/node'
import { appSettings, logSettings, type BuiltSettings } from '../config.ts'
import { logDatabaseProgress } from '../database-progress.ts'
import { openEngineFromEnv } from '../engine.ts'
import { EXIT, Failure, printFailure } from '../failure.ts'
import { hintingLog } from '../log-hints.ts'
import { formatPlan } from '../migrate/format-plan.ts'
import { beginMigrations, type MigrationSource } from '../migrate/migration-files.ts'
import { isPending, planProject } from '../migrate/project-plan.ts'
import { chooseHost, listenFailure, parsePort } from '../listen.ts'
import { ignoreOutputErrors, untilStopped } from '../process-lifetime.ts'
import { createProjectRuns } from '../run-store.ts'
import { createStaticFiles } from './static-files.ts'
import { createTerminal } from '../terminal.ts'
import type { WebFile } from '../build/web-files.ts'
import { connectToPrimary, type CurrentWorker } from '../workers/current-worker.ts'

/** The parts of a built project. */
export interface BuiltProject {
  readonly agents: readonly Agent[]
  readonly router: Router | null
  /** The URL of the built server file. The web app is in the `web` folder next to the server's folder. */
  readonly base: string
  /** The web app's files, or null if there is no web app. */
  readonly web: readonly WebFile[] | null
  /** The settings in `sdk.config.ts` at build time. */
  readonly settings: BuiltSettings
  /** The function that formats errors, or null if the project has none. */
  readonly formatError: FormatError | null
  /** Serves the app on the platform that it was built for. @default `serve` of `@sdk/server` */
  readonly serve?: (...args: Parameters<typeof serve>) => Promise<Pick<Server, 'url' | 'close'>>
}

/** How long to keep accepting requests after a signal, in ms, so that load balancers have time to stop sending them. */
const LINGER_MS = { SIGTERM: 1_000, SIGINT: 0 }

/**
 * How long the server waits for migrations before it listens, in ms. Longer migrations continue in the background while
 * `/readyz` fails, since a platform may restart a server that does not listen.
 */
const MIGRATION_WAIT_MS = 5_000

// Called before the project's modules are loaded, since they read environment variables when they are loaded.
const takeEnvIssues = collectEnvErrors()
process.on('uncaughtException', failStart)

/**
 * Runs a built project until it is stopped, then exits the process. This module is bundled into `dist/server`.
 * @public called by the entry that `sdk build` writes
 */
export async function runBuilt(built: BuiltProject): Promise<never> {
  createLog(logSettings(built.settings)) // reports an invalid LOG_LEVEL together with the variables of the modules
  // From here on, a missing or invalid variable causes an error immediately.
  if (takeEnvIssues().length > 0) failStart(null)
  process.off('uncaughtException', failStart)
  if (process.argv.includes('--check')) process.exit(await checkMigrations(built).catch(exitWithFailure))
  ignoreOutputErrors()
  const worker = connectToPrimary()
  const stopped = worker?.stopped ?? untilStopped()
  const { app, server, engine, runs, log } = await startServer(built, worker).catch(exitWithFailure)
  log.info('listening', { url: server.url })
  if (worker !== null) joinPool(worker, app)
  const signal = await stopped
  log.info('closing', { signal })
  await server.close({ linger: LINGER_MS[signal] })
  await runs.close()
  await engine.close()
  if (app.metrics !== null) await worker?.reportMetrics(app.metrics.text())
  process.exit(0)
}

/** Serves the metrics of all workers, and runs the `onStart` hooks when this worker becomes the one that does. */
function joinPool(worker: CurrentWorker, { metrics, '~starts': starts }: App): void {
  metrics?.mergeWith(worker.mergeMetrics)
  worker.leads.then(starts.start).catch(exitWithFailure)
  worker.reportReady(() => metrics?.text() ?? '')
}

/** Exits the process. If variables are missing or invalid, reports only those, since they cause all other errors. */
function failStart(error: unknown): never {
  const faults = takeEnvIssues()
  return exitWithFailure(faults.length > 0 ? environmentFailure(faults) : error)
}

async function startServer(
  { agents, router, base, web, settings, formatError, serve: serveApp = serve }: BuiltProject,
  worker: CurrentWorker | null,
) {
  assertRunsStored(agents)
  const port = parsePort(process.env['PORT'], settings.port ?? 3000)
  const fields = worker === null ? {} : { worker: worker.number }
  const log = hintingLog(createLog({ ...logSettings(settings), fields }))
  logDatabaseProgress(log)
  const { applied, checks } = await beginMigrations(migrationsOf(base), log)
  applied.catch(exitWithFailure)
  await Promise.race([applied, sleep(MIGRATION_WAIT_MS, undefined, { ref: false })])
  const instances = worker === null ? settings.instances : Math.max(2, settings.instances ?? 2)
  const engine = await openEngineFromEnv({ from: base, log, instances, isRequired: worker !== null })
  const runs = createProjectRuns(base, log)
  const store = await runs.open(agents)
  const options = { ...appSettings(settings), ...store, checks, ...(formatError !== null && { formatError }) }
  const definitions = { agents, router: router ?? createRouter() }
  const pool = worker === null ? undefined : { startsLater: !worker.isFirst, connections: worker.connections }
  const app: App = createApp({ ...definitions, engine, log, '~pool': pool, ...options })
  const files = web === null ? {} : { fallback: createStaticFiles(webFolder(base), web, settings.webHeaders) }
  const host = chooseHost(process.env['HOST'], settings.host)
  const server = await serveApp(app, { port, host, signals: false, ...files }).catch((error: unknown) => {
    throw listenFailure(error, host)
  })
  return { app, server, engine, runs, log }
}

/** Throws if the project has durable agents but no database. */
function assertRunsStored(agents: readonly Agent[]): void {
  if (!agents.some(({ durable }) => durable !== undefined) || (process.env['DATABASE_URL'] ?? '') !== '') return
  throw environmentFailure([
    {
      name: 'DATABASE_URL',
      problem: 'is not set',
      purpose: 'durable agents store their runs in the database',
      example: 'DATABASE_URL=postgres://user:password@host:5432/name, or pglite://.sdk/data for the embedded database',
    },
  ])
}

/** Prints the pending migrations and returns the exit code. The schemas and migrations are those of the build. */
async function checkMigrations({ router, base }: BuiltProject): Promise<number> {
  const plan = await planProject(router, migrationsOf(base))
  console.log(process.argv.includes('--json') ? JSON.stringify(plan, null, 2) : formatPlan(plan).join('\n'))
  return isPending(plan) ? EXIT.pending : EXIT.ok
}

function migrationsOf(base: string): MigrationSource {
  return { folder: fileURLToPath(new URL('migrations', base)), from: base }
}

function webFolder(base: string): string {
  const folder = fileURLToPath(new URL('../web', base))
  if (existsSync(folder)) return folder
  const fix = 'copy the whole dist folder, or build again: sdk build'
  throw new Failure(`${folder} is missing: sdk build creates it together with the server`, { code: 'NO_BUILD', fix })
}

/** Creates one failure for all missing and invalid variables. */
function environmentFailure(faults: readonly EnvError[]): Failure {
  const isOne = faults.length === 1
  const subject = isOne ? 'an environment variable is' : `${faults.length} environment variables are`
  return new Failure(`${subject} missing or invalid`, {
    code: 'INVALID_ENVIRONMENT',
    lines: faults.flatMap(({ name, problem: fault, purpose, example }) => [
      `${name} ${fault}: ${purpose}`,
      `    ${example}`,
    ]),
    fix: `set ${isOne ? 'it' : 'them'} in the server's environment; sdk start also reads .env.production.local`,
  })
}

/** Prints why the server did not start and exits the process. Errors in the app's code are printed with a stack. */
function exitWithFailure(error: unknown): never {
  if (error instanceof Failure) return process.exit(printFailure(error, createTerminal(), process.argv))
  console.error(error)
  return process.exit(EXIT.failed)
}
