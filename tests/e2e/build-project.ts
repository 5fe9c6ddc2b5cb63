import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { startProcess } from '@sdk/test-kit'
import type { DemoProject } from './demo-project.ts'

/** The installed command. */
export const SDK: string = join(dirname(createRequire(import.meta.url).resolve('@sdk/cli/package.json')), 'bin/sdk.js')

/** The text that a server prints when it listens. */
export const URL_LINE: RegExp = /http:\/\/[\d.:]+/

/** The exit code and output of a build. */
export interface Built {
  readonly code: number | null
  readonly output: string
}

/** `sdk build` */
export async function build({ path }: DemoProject): Promise<Built> {
  const running = await startProcess({ command: process.execPath, args: [SDK, 'build'], cwd: path })
  return { code: (await running.exited).code, output: running.output() }
}
