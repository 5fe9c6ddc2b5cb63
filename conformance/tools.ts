import { join } from 'node:path'
import { capture, type Outcome } from '../scripts/run.ts'

/** Where the tools and the rules are. */
export const FOLDER: string = import.meta.dirname

/** Where documents and types are written; never committed. */
export const CACHE: string = join(FOLDER, '.cache')

/** What became of a tool. */
export interface Verdict {
  /** One line: what was looked at. */
  readonly summary: string
  /** What is wrong; empty: nothing. */
  readonly faults: readonly string[]
}

const QUIET = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }

/** Runs a tool that is installed here, from this folder; `args` are words of a shell. */
export function runTool(name: string, args: string): Promise<Outcome> {
  return capture(`cd '${FOLDER}' && exec '${process.execPath}' node_modules/.bin/${name} ${args}`, QUIET)
}

/** The verdict on a tool that says by its exit code whether all is well. */
export function judge({ code, output }: Outcome, summary: string): Verdict {
  return { summary, faults: code === 0 ? [] : [output.trim()] }
}
