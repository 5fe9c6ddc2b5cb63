import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startProcess } from '@sdk/test-kit'
import type { DemoProject } from './demo-project.ts'

/** The command, as it is installed. */
export const SDK: string = join(dirname(createRequire(import.meta.url).resolve('@sdk/cli/package.json')), 'bin/sdk.js')

/** What a server prints once it listens. */
export const URL_LINE: RegExp = /http:\/\/[\d.:]+/

/** How a build ended, and what it said. */
export interface Built {
  readonly code: number | null
  readonly output: string
}

/** `sdk build` */
export async function build({ path }: DemoProject): Promise<Built> {
  const running = await startProcess({ command: process.execPath, args: [SDK, 'build'], cwd: path })
  return { code: (await running.exited).code, output: running.output() }
}
