import type { LogOptions } from '@sdk/server'
import type { Problem } from '@sdk/workbench'
import type { DevServer } from './dev-server.ts'
import { printProblem } from '../problem.ts'
import { hasColours, type Terminal } from '../terminal.ts'

/** A reporter for the events of `sdk dev`. */
export interface DevReport {
  /** The format of the project's log. */
  readonly log: Pick<LogOptions, 'format' | 'write' | 'colors'>
  /** Called after the project's code is loaded. `files` lists the changed files and is empty for the first load. */
  loaded(load: { files: readonly string[]; ms: number; problems: readonly Problem[] }): void
  /** Called when a file in the web app does not compile, or when `onStart` fails. */
  problem(problem: Problem): void
  /** Called when the server is ready. It may listen on a different port than requested. */
  ready(server: DevServer, requested: { port: number; host: string }): void
  /** Called when a file that is read only at startup has changed. */
  settingsChanged(file: string): void
  closing(signal: string): void
}

/** Creates a reporter for programs. It prints each event as a JSON line with an `event` field; log lines have none. */
export function createJsonReport({ out }: Terminal): DevReport {
  const print = (event: string, fields: object): void => out(JSON.stringify({ event, ...fields }))
  return {
    log: { format: 'json', write: out },
    loaded({ files, ms, problems }) {
      if (files.length > 0) print('reload', { files, ms: Math.round(ms) })
      for (const problem of problems) print('problem', problem)
    },
    problem: (problem) => print('problem', problem),
    ready: ({ url, port, workbench }) => print('ready', { url, port, workbench, ms: uptime() }),
    settingsChanged: (file) => print('settings-changed', { file }),
    closing: (signal) => print('closing', { signal }),
  }
}

/** Creates a reporter for terminals. */
export function createTextReport(terminal: Terminal): DevReport {
  const { out, paint } = terminal
  const warn = (text: string): void => out(paint.yellow(`! ${text}`))
  const print = (problems: readonly Problem[]): void => {
    // An error in a file that several agents import causes a problem for each agent, but is printed only once.
    for (const text of new Set(problems.map((problem) => printProblem(problem, paint).join('\n')))) out(text)
  }
  return {
    log: { format: 'pretty', write: out, colors: hasColours(process.env, process.stdout.isTTY) },
    loaded({ files, ms, problems }) {
      if (files.length > 0) out(`${paint.green('↻')} ${files.join(', ')} ${paint.dim(`${Math.round(ms)} ms`)}`)
      print(problems)
    },
    problem: (problem) => print([problem]),
    ready({ url, port, workbench }, asked) {
      if (asked.port !== 0 && port !== asked.port) warn(`port ${asked.port} is in use: using port ${port}`)
      out(`  ${paint.bold('App')}        ${paint.cyan(url)}`)
      out(`  ${paint.bold('Workbench')}  ${paint.cyan(workbench)}`)
      out(paint.dim(`  ready in ${uptime()} ms`))
      for (const text of exposureWarnings(asked.host)) warn(text)
    },
    settingsChanged: (file) => warn(`${file} has changed: restart sdk dev to apply it`),
    closing: (signal) => out(paint.dim(`  received ${signal}, closing`)),
  }
}

function uptime(): number {
  return Math.round(process.uptime() * 1000)
}

function exposureWarnings(host: string): string[] {
  if (/^(?:localhost|127(?:\.\d+){3}|::1)$/.test(host)) return []
  return [
    `sdk dev listens on ${host}: anyone on the network can call the app, which may have no access rules yet`,
    'the workbench opens only with the link above: anyone with the link can read all runs and act as any user',
  ]
}
