import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '@sdk/server'
import type { Command } from './command.ts'
import { CONFIG_FILE, logSettings } from '../config.ts'
import { readDevServerInfo, readPass, writeDevServerInfo } from '../dev/dev-server-info.ts'
import { createTextReport, createJsonReport } from '../dev/dev-report.ts'
import { startDevServer } from '../dev/dev-server.ts'
import { findProject } from '../discover.ts'
import { Failure } from '../failure.ts'
import { envFilesOf } from '../env-files.ts'
import { chooseHost, parsePort } from '../listen.ts'
import { readConfig } from '../read-config.ts'
import { closeWithin, untilStopped } from '../process-lifetime.ts'
import { isDevServerUp } from '../run/dev-server-runs.ts'
import { openStateFolder } from '../dev/state-folder.ts'

/** How long open requests may take to finish after Ctrl-C, in ms. */
const CLOSE_MS = 3000

/** The `sdk dev` command. */
export const devCommand: Command = {
  summary: 'serves the app and the workbench, with live reload',
  mode: 'development',
  options: {
    port: {
      value: 'number',
      summary: 'the port, or the next free one if it is in use (default: PORT, then sdk.config.ts, then 3000)',
    },
    host: {
      value: 'address',
      summary: 'the address to listen on (default: HOST, then sdk.config.ts, then 127.0.0.1)',
    },
    json: {
      summary:
        'prints events (ready, reload, problem, settings-changed, closing) and logs as JSON, one object per line',
    },
  },
  examples: ['sdk dev', 'sdk dev --port 4000', 'DATABASE_URL=postgres://… sdk dev'],
  async run({ cwd, terminal, text, has }) {
    process.env['NODE_ENV'] = 'development'
    const { root } = findProject(cwd)
    if (process.cwd() !== root) process.chdir(root) // paths such as .sdk/data are relative to the project
    await assertNoDevServer(root)
    const config = await readConfig(root)
    const port = parsePort(text('port') ?? process.env['PORT'], config.port ?? 3000)
    const host = chooseHost(text('host') ?? process.env['HOST'], config.host)
    const report = (has('json') ? createJsonReport : createTextReport)(terminal)
    const folder = openStateFolder(root)
    const pass = readPass(folder.path)
    const log = createLog({ ...report.log, ...logSettings(config) })
    if (folder.warning !== null) log.warn(folder.warning)
    const stopped = untilStopped()
    const starting = startDevServer({
      root,
      folder: folder.path,
      port,
      host,
      config,
      pass,
      log,
      onLoaded: ({ problems }, load) => report.loaded({ problems, ...load }),
      onProblem: report.problem,
    })
    const early = await Promise.race([starting.then(() => null), stopped])
    if (early !== null) {
      report.closing(early)
      await closeWithin(CLOSE_MS, () => starting.then((server) => server.close()).catch(ignoreError))
      return folder.close()
    }
    const server = await starting
    const info = { url: server.url, workbench: server.workbench, pid: process.pid, pass }
    const removeInfo = folder.warning === null ? writeDevServerInfo(root, info) : () => {}
    const unwatch = watchSettings(root, report.settingsChanged)
    report.ready(server, { port, host })
    report.closing(await stopped)
    removeInfo()
    unwatch()
    await closeWithin(CLOSE_MS, () => server.close())
    folder.close()
  },
}

/** Throws if a dev server is already running in the folder: two would conflict over the database, runs and caches. */
async function assertNoDevServer(root: string): Promise<void> {
  const running = readDevServerInfo(root)
  if (running === null || !(await isDevServerUp(running))) return
  throw new Failure(`sdk dev is already running in this folder: ${running.url} (pid ${running.pid})`, {
    code: 'ALREADY_RUNNING',
    fix: `use that server, or stop it first: kill ${running.pid}`,
  })
}

/** Ignores errors from a start that has already been interrupted. */
function ignoreError(): void {}

/**
 * Reports changes to the config and env files, which take effect only at the next start. Returns a function that stops
 * watching.
 */
function watchSettings(root: string, onChange: (file: string) => void): () => void {
  const names = [CONFIG_FILE, ...envFilesOf('development')]
  for (const name of names) {
    watchFile(join(root, name), { interval: 500, persistent: false }, (now, before) => {
      if (now.mtimeMs !== before.mtimeMs) onChange(name) // Node also calls this once for a file that does not exist
    })
  }
  return () => {
    for (const name of names) unwatchFile(join(root, name))
  }
}
