import { join } from 'node:path'
import { createLog, serve } from '@sdk/server'
import { openRecording } from '@sdk/workbench'
import { createServer } from 'vite'
import { createProjectLoader } from '../load/project-loader.ts'
import { compose } from '../load/compose.ts'
import { appSettings, logSettings } from '../config.ts'
import { logDatabaseProgress } from '../database-progress.ts'
import { createPass } from '../dev/dev-server-info.ts'
import type { Project } from '../discover.ts'
import { beginMigrations } from '../migrate/migration-files.ts'
import { openEngineFromEnv } from '../engine.ts'
import { readConfig } from '../read-config.ts'
import { closeWithin } from '../process-lifetime.ts'
import type { Terminal } from '../terminal.ts'
import { viteLoadConfig } from '../vite-config.ts'
import { trackHandlers } from './track-handlers.ts'

/** A server that serves a project only for this process. */
export interface LocalServer {
  readonly url: string
  /** The secret that allows calls to act as a user. */
  readonly pass: string
  /** Returns the id of a request's run, or null if it was not recorded. */
  runOf(requestId: string): Promise<string | null>
  close(): Promise<void>
}

/** How long a handler may take to finish after its caller has disconnected, in ms. */
const HANDLER_GRACE_MS = 3000

/** Loads a project with its database and serves it on a free local port, for a single command. */
export async function openLocalServer(project: Project, { err }: Terminal): Promise<LocalServer> {
  const { root } = project
  const config = await readConfig(root)
  const log = createLog({ format: 'pretty', level: 'info', write: err, ...logSettings(config) })
  const stopProgressLog = logDatabaseProgress(log)
  const source = { folder: join(root, 'migrations'), from: join(root, 'package.json') }
  await (
    await beginMigrations(source, log)
  ).applied
  const pass = createPass()
  const engine = await openEngineFromEnv({ from: join(root, 'package.json'), log, instances: 1 })
  const vite = await createServer(viteLoadConfig(project, config.vite))
  const loaded = await createProjectLoader(vite, config).load(project)
  const { app, idle } = trackHandlers(compose(project, loaded, { engine, log, pass, ...appSettings(config) }).app)
  const recording = openRecording({ root, onWarning: (warning) => log.warn(warning) })
  // Stores open on first use instead of at startup, since most calls do not need them.
  const recorded = recording.recordApp({ ...app, ready: () => Promise.resolve() })
  const server = await serve(recorded, { port: 0, signals: false })
  return {
    url: server.url,
    pass,
    runOf: async (requestId) => (await recording.store.list({ requestId, limit: 1 })).runs[0]?.id ?? null,
    async close() {
      if (!(await closeWithin(HANDLER_GRACE_MS, idle)))
        err(`the handler is still running ${HANDLER_GRACE_MS / 1000} s after the client disconnected`)
      await server.close()
      await recording.close()
      await vite.close()
      await engine.close()
      stopProgressLog()
    },
  }
}
