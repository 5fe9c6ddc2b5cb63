import { createLog } from '@sdk/server'
import type { Command } from '../command.ts'
import type { Composed } from '../compose.ts'
import { startDevServer } from '../dev-server.ts'
import { openProject } from '../discover.ts'
import { parsePort } from '../listen.ts'
import { printProblem } from '../problem.ts'
import { closeWithin, untilStopped } from '../shutdown.ts'
import { hasColours, type Terminal } from '../terminal.ts'

/** How long what is in flight may take after Ctrl-C. */
const CLOSE_MS = 3000

/** `sdk dev` */
export const devCommand: Command = {
  summary: 'one port for the web app, agents, API, sockets and the workbench, reloaded as you type',
  options: {
    port: { value: 'number', summary: 'the port, or the next free one (PORT, else 3000)' },
    host: { value: 'address', summary: 'the address to listen on (HOST, else 127.0.0.1)' },
  },
  async run({ cwd, terminal, text }) {
    process.env['NODE_ENV'] = 'development'
    const stopped = untilStopped()
    const { root } = openProject(cwd)
    const port = parsePort(text('port') ?? process.env['PORT'], 3000)
    const host = text('host') ?? process.env['HOST'] ?? '127.0.0.1'
    const { out, paint } = terminal
    const server = await startDevServer({
      root,
      port,
      host,
      log: createLog({ format: 'pretty', write: out, colors: hasColours(process.env, process.stdout.isTTY) }),
      onLoaded: (composed, { files, ms }) => printLoaded(composed, { files, ms, terminal }),
    })
    printReady(server, port, terminal)
    out(paint.dim(`  ${await stopped}, closing`))
    await closeWithin(CLOSE_MS, () => server.close())
  },
}

function printReady({ url, port }: { url: string; port: number }, wanted: number, { out, paint }: Terminal): void {
  if (wanted !== 0 && port !== wanted) out(paint.yellow(`! port ${wanted} is taken, so this is ${port}`))
  out(`  ${paint.bold('App')}        ${paint.cyan(url)}`)
  out(`  ${paint.bold('Workbench')}  ${paint.cyan(`${url}/_workbench`)}`)
  out(paint.dim(`  ready in ${Math.round(process.uptime() * 1000)} ms`))
}

function printLoaded(
  { problems }: Composed,
  { files, ms, terminal: { out, paint } }: { files: readonly string[]; ms: number; terminal: Terminal },
): void {
  if (files.length > 0) out(`${paint.green('↻')} ${files.join(', ')} ${paint.dim(`${Math.round(ms)} ms`)}`)
  for (const problem of problems) for (const line of printProblem(problem, paint)) out(line)
}
