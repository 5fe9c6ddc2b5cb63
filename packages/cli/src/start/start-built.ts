import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadEnvFiles } from '../env-files.ts'
import { Failure } from '../failure.ts'
import { systemFailure } from '../system-failure.ts'

/** Options for `startBuilt`. */
export interface StartOptions {
  /** A folder in the project. */
  readonly cwd: string
  readonly port?: string | undefined
  readonly host?: string | undefined
  readonly workers?: string | undefined
}

/** Runs the output of `sdk build` until the process exits. Returns false if there is no build. */
export async function startBuilt({ cwd, port, host, workers }: StartOptions): Promise<boolean> {
  const root = findProjectFolder(cwd)
  const file = join(root, 'dist/server/index.js')
  if (!existsSync(file)) return false
  if (process.cwd() !== root) process.chdir(root) // paths such as .sdk/data are relative to the project
  loadEnvFiles(root, 'production')
  if (port !== undefined) process.env['PORT'] = port
  if (host !== undefined) process.env['HOST'] = host
  if (workers !== undefined) process.env['WORKERS'] = workers
  await import(pathToFileURL(file).href)
  return true
}

/**
 * Runs `sdk start` without loading the commands, which take longer to load than the server. This matters because a
 * deployment waits for the first response. Returns false if the command itself must run, for example to print an error.
 */
export async function startDirectly(args: readonly string[], cwd: string): Promise<boolean> {
  const options = parseStartOptions(args)
  try {
    return options !== null && (await startBuilt({ cwd, ...options }))
  } catch (error) {
    if (error instanceof Failure || systemFailure(error) !== null) return false // the command reports the failure
    throw error
  }
}

const START_OPTIONS = {
  port: { type: 'string' },
  host: { type: 'string' },
  workers: { type: 'string' },
  check: { type: 'boolean' },
  json: { type: 'boolean' },
} as const

function parseStartOptions(args: readonly string[]): Omit<StartOptions, 'cwd'> | null {
  try {
    return parseArgs({ args: [...args], options: START_OPTIONS }).values
  } catch {
    return null // the command reports the error
  }
}

/** Returns the project folder, which does not need a `package.json`, since a server needs only `dist`. */
function findProjectFolder(cwd: string): string {
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) || existsSync(join(folder, 'dist/server/index.js'))) return folder
  }
  return cwd
}
