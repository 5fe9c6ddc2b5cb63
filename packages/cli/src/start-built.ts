import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { loadEnvFiles } from './env-files.ts'
import { Failure } from './failure.ts'
import { systemFailure } from './system-failure.ts'

/** What a started server may be told. */
export interface StartOptions {
  /** A folder of the project. */
  readonly cwd: string
  readonly port?: string | undefined
  readonly host?: string | undefined
}

/** Runs what `sdk build` made, and does not return; gives false where nothing was built. */
export async function startBuilt({ cwd, port, host }: StartOptions): Promise<boolean> {
  const root = projectOf(cwd)
  const file = join(root, 'dist/server/index.js')
  if (!existsSync(file)) return false
  if (process.cwd() !== root) process.chdir(root) // whose .sdk/data it is
  loadEnvFiles(root, 'production')
  if (port !== undefined) process.env['PORT'] = port
  if (host !== undefined) process.env['HOST'] = host
  await import(pathToFileURL(file).href)
  return true
}

/**
 * The same for a command line, with nothing else loaded: whoever deploys waits for the first answer, and the commands
 * with all that they need take longer to load than the server. Gives false for what needs more words.
 */
export async function startAtOnce(args: readonly string[], cwd: string): Promise<boolean> {
  const options = readOptions(args)
  try {
    return options !== null && (await startBuilt({ cwd, ...options }))
  } catch (error) {
    if (error instanceof Failure || systemFailure(error) !== null) return false // told by the command
    throw error
  }
}

const OPTIONS = { port: { type: 'string' }, host: { type: 'string' }, json: { type: 'boolean' } } as const

function readOptions(args: readonly string[]): Omit<StartOptions, 'cwd'> | null {
  try {
    return parseArgs({ args: [...args], options: OPTIONS }).values
  } catch {
    return null // the command says what is wrong
  }
}

/** Its sources may be elsewhere: a server needs `dist` alone. */
function projectOf(cwd: string): string {
  for (let folder = cwd; folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) || existsSync(join(folder, 'dist/server/index.js'))) return folder
  }
  return cwd
}
