import { unwatchFile, watchFile } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '@sdk/server'
import type { Command } from '../command.ts'
import type { Composed } from '../compose.ts'
import { CONFIG_FILE, logSettings } from '../config.ts'
import { createPass, leaveNote } from '../dev-note.ts'
import { startDevServer, type DevServer } from '../dev-server.ts'
import { openProject } from '../discover.ts'
import { envFilesOf } from '../env-files.ts'
import { parsePort } from '../listen.ts'
import { printProblem } from '../problem.ts'
import { readConfig } from '../read-config.ts'
import { closeWithin, untilStopped } from '../shutdown.ts'
import { hasColours, type Terminal } from '../terminal.ts'

/** How long what is in flight may take after Ctrl-C. */
const CLOSE_MS = 3000

/** `sdk dev` */
export const devCommand: Command = {
  summary: 'one port for the web app, agents, API, sockets and the workbench, reloaded as you type',
  mode: 'development',
  options: {
    port: {
      value: 'number',
      summary: 'the port, or the next free one (PORT, else what sdk.config.ts says, else 3000)',
    },
    host: {
      value: 'address',
      summary: 'the address to listen on (HOST, else what sdk.config.ts says, else 127.0.0.1)',
    },
  },
  examples: ['sdk dev', 'sdk dev --port 4000', 'DATABASE_URL=postgres://… sdk dev'],
  async run({ cwd, terminal, text }) {
    process.env['NODE_ENV'] = 'development'
    const stopped = untilStopped()
    const { root } = openProject(cwd)
    if (process.cwd() !== root) process.chdir(root) // whose .sdk/data it is
    const config = await readConfig(root)
    const port = parsePort(text('port') ?? process.env['PORT'], config.port ?? 3000)
    const host = text('host') ?? process.env['HOST'] ?? config.host ?? '127.0.0.1'
    const { out, paint } = terminal
    const colors = hasColours(process.env, process.stdout.isTTY)
    const pass = createPass()
    const server = await startDevServer({
      root,
      port,
      host,
      config,
      pass,
      log: createLog({ format: 'pretty', write: out, colors, ...logSettings(config) }),
      onLoaded: (composed, { files, ms }) => printLoaded(composed, { files, ms, terminal }),
      onBroken: (problem) => print(problem, terminal),
    })
    const takeBack = leaveNote(root, { url: server.url, workbench: server.workbench, pid: process.pid, pass })
    const unwatch = tellSettingChanges(root, terminal)
    printReady(server, port, terminal)
    warnOfHost(host, terminal)
    out(paint.dim(`  ${await stopped}, closing`))
    takeBack()
    unwatch()
    await closeWithin(CLOSE_MS, () => server.close())
  },
}

/** The port, the environment and Vite's plugins cannot change under those who are connected, so none of it does. */
function tellSettingChanges(root: string, { out, paint }: Terminal): () => void {
  const names = [CONFIG_FILE, ...envFilesOf('development')]
  for (const name of names) {
    watchFile(join(root, name), { interval: 500, persistent: false }, (now, before) => {
      if (now.mtimeMs === before.mtimeMs) return // told once of a file that is not there
      out(paint.yellow(`! ${name} has changed: restart sdk dev to use it`))
    })
  }
  return () => {
    for (const name of names) unwatchFile(join(root, name))
  }
}

function printReady({ url, port, workbench }: DevServer, wanted: number, { out, paint }: Terminal): void {
  if (wanted !== 0 && port !== wanted) out(paint.yellow(`! port ${wanted} is taken, so this is ${port}`))
  out(`  ${paint.bold('App')}        ${paint.cyan(url)}`)
  out(`  ${paint.bold('Workbench')}  ${paint.cyan(workbench)}`)
  out(paint.dim(`  ready in ${Math.round(process.uptime() * 1000)} ms`))
}

/** What is developed has few defences yet, and whoever can reach it may call it. */
function warnOfHost(host: string, { out, paint }: Terminal): void {
  if (/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)) return
  out(
    paint.yellow(
      `! this listens on ${host}: everybody in the network can call the app, with all that does not work yet`,
    ),
  )
  out(
    paint.yellow(
      '! the workbench opens by the link above alone: whoever has the link reads all runs and acts as any user',
    ),
  )
}

function printLoaded(
  { problems }: Composed,
  { files, ms, terminal }: { files: readonly string[]; ms: number; terminal: Terminal },
): void {
  const { out, paint } = terminal
  if (files.length > 0) out(`${paint.green('↻')} ${files.join(', ')} ${paint.dim(`${Math.round(ms)} ms`)}`)
  for (const problem of problems) print(problem, terminal)
}

function print(problem: Composed['problems'][number], { out, paint }: Terminal): void {
  for (const line of printProblem(problem, paint)) out(line)
}
