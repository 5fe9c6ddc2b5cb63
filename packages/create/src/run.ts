import { relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createProject, type ProjectOptions } from './create-project.ts'
import { Failure } from './failure.ts'
import { ownVersion } from './own-version.ts'
import { readTarballs } from './tarballs.ts'

const HELP = `npm create @sdk [folder] -- [options]

Makes a new app: an agent, an API and a web page.

  --yes              asks nothing
  --name <name>      the name in package.json (the folder's)
  --packages <dir>   takes our packages from .tgz files in this folder
  --version, --help`

/** The world around a call. */
export interface RunContext {
  readonly cwd: string
  readonly out: (line: string) => void
  readonly err: (line: string) => void
  /** Asks the person in front; null where there is none. */
  readonly ask: ((question: string) => Promise<string>) | null
}

/** Runs a command line, such as `['my-app', '--yes']`; gives the exit code. */
export async function run(args: readonly string[], context: RunContext): Promise<number> {
  try {
    await create(args, context)
    return 0
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    context.err(`✗ ${error.message}`)
    return error.exitCode
  }
}

async function create(args: readonly string[], context: RunContext): Promise<void> {
  const { values, positionals } = parse(args)
  const { cwd, out, ask } = context
  if (values.help === true) return out(HELP)
  if (values.version === true) return out(ownVersion())
  const folder = positionals[0] ?? (values.yes === true || ask === null ? 'my-app' : await askFolder(ask))
  const { directory } = createProject({
    directory: resolve(cwd, folder),
    ...(values.name === undefined ? {} : { name: values.name }),
    ...(values.packages === undefined ? {} : fromTarballs(values.packages)),
  })
  const path = relative(cwd, directory)
  const steps = [...(path === '' ? [] : [`cd ${path}`]), 'npm install', 'npm run dev']
  out(`✓ ${path === '' ? 'Your app' : path} is ready. Now:\n\n${steps.map((step) => `  ${step}`).join('\n')}\n`)
}

interface Arguments {
  readonly values: { yes?: boolean; name?: string; packages?: string; help?: boolean; version?: boolean }
  readonly positionals: readonly string[]
}

function parse(args: readonly string[]): Arguments {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        yes: { type: 'boolean', short: 'y' },
        name: { type: 'string' },
        packages: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    throw new Failure(error instanceof Error ? error.message : String(error), 2)
  }
}

async function askFolder(ask: (question: string) => Promise<string>): Promise<string> {
  const answer = await ask('Where should your app go? (my-app) ')
  return answer.trim() === '' ? 'my-app' : answer.trim()
}

/** All of them as overrides too, so that what they need of one another also comes from the folder. */
function fromTarballs(folder: string): Pick<ProjectOptions, 'versionOf' | 'overrides'> {
  const tarballs = readTarballs(folder)
  return {
    overrides: Object.fromEntries(tarballs),
    versionOf(name) {
      const version = tarballs.get(name)
      if (version === undefined) throw new Failure(`there is no package ${name} in ${folder}`)
      return version
    },
  }
}
