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
import { openEngineFromEnv } from '../engine.ts'
import { readConfig } from '../read-config.ts'
import { closeWithin } from '../process-lifetime.ts'
import type { Terminal } from '../terminal.ts'
import { viteLoadConfig } from '../vite-config.ts'
import { trackHandlers } from './track-handlers.ts'

/** A project that is served to this process alone. */
export interface LocalServer {
  readonly url: string
  /** The secret that lets a call act as a user. */
  readonly pass: string
  /** The id of a request's run; null where it was not recorded. */
  runOf(requestId: string): Promise<string | null>
  close(): Promise<void>
}

/** How long a handler may go on after its caller has left. */
const HANDLER_GRACE_MS = 3000

/** Loads a project on its database and serves it on a free port of this machine, for one command. */
export async function openLocalServer(project: Project, { err }: Terminal): Promise<LocalServer> {
  const { root } = project
  const config = await readConfig(root)
  const log = createLog({ format: 'pretty', level: 'info', write: err, ...logSettings(config) })
  const stopProgressLog = logDatabaseProgress(log)
  const pass = createPass()
  const engine = await openEngineFromEnv({ from: join(root, 'package.json'), log, instances: 1 })
  const vite = await createServer(viteLoadConfig(project, config.vite))
  const loaded = await createProjectLoader(vite).load(project)
  const { app, idle } = trackHandlers(compose(project, loaded, { engine, log, pass, ...appSettings(config) }).app)
  const recording = openRecording({ root, onWarning: (warning) => log.warn(warning) })
  // Stores open on first use instead of at the start: most calls need none.
  const recorded = recording.recordApp({ ...app, ready: () => Promise.resolve() })
  const server = await serve(recorded, { port: 0, signals: false })
  return {
    url: server.url,
    pass,
    runOf: async (requestId) => (await recording.store.list({ requestId, limit: 1 })).runs[0]?.id ?? null,
    async close() {
      if (!(await closeWithin(HANDLER_GRACE_MS, idle)))
        err(`the handler did not end ${HANDLER_GRACE_MS / 1000} s after its caller left`)
      await server.close()
      await recording.close()
      await vite.close()
      await engine.close()
      stopProgressLog()
    },
  }
}
