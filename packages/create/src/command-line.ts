import { parseArgs } from 'node:util'
import { EXIT_CODES, CreateFailure } from './failure.ts'
import { packageManagers, parsePackageManager, type PackageManager } from './package-manager.ts'
import { parseTemplate, templates, type TemplateName } from './templates.ts'

/** A parsed command line. The user is asked for missing options, or a default is used. */
export interface CommandLine {
  readonly folder?: string | undefined
  readonly name?: string | undefined
  readonly template?: TemplateName | undefined
  readonly manager?: PackageManager | undefined
  readonly install?: boolean | undefined
  /** A folder that contains the SDK packages as `.tgz` files. */
  readonly packages?: string | undefined
  readonly git: boolean
  /** Whether to skip all questions. */
  readonly yes: boolean
  readonly help: boolean
  readonly version: boolean
}

/** The output of `--help`. */
export const HELP: string = `npm create @sdk [folder] -- [options]

Creates a new app. In a terminal, it asks for missing options.

  --template <name>         ${templates.map(({ name, summary }) => `${name.padEnd(9)} ${summary}`).join(`\n${' '.repeat(28)}`)}
  --install, --no-install   whether to install the packages
  --package-manager <name>  ${packageManagers.join(', ')} (default: the one that runs this command)
  --name <name>             the name in package.json (default: the name of the folder)
  --no-git                  does not create a git repository
  --packages <dir>          uses the SDK packages in this folder (.tgz files)
  --yes                     skips all questions, uses the default template and installs the packages
  --version, --help

Exit codes: 0 success, 1 failure, 2 invalid options, 130 interrupted.`

/** Parses a command line. Throws if it is invalid. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parseArguments(args)
  if (positionals.length > 1)
    throw new CreateFailure(`expected one folder, got ${positionals.join(' and ')}`, {
      fix: `quote a name with spaces: "${positionals.join(' ')}"`,
      exitCode: EXIT_CODES.usage,
    })
  const { template, 'package-manager': manager, git = true, yes = false, help = false, version = false } = values
  return {
    folder: positionals[0],
    name: values.name,
    template: template === undefined ? undefined : parseTemplate(template),
    manager: manager === undefined ? undefined : parsePackageManager(manager),
    install: values.install,
    packages: values.packages,
    git,
    yes,
    help,
    version,
  }
}

function parseArguments(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      allowNegative: true,
      options: {
        template: { type: 'string', short: 't' },
        install: { type: 'boolean' },
        'package-manager': { type: 'string' },
        name: { type: 'string' },
        git: { type: 'boolean' },
        packages: { type: 'string' },
        yes: { type: 'boolean', short: 'y' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    })
  } catch (error) {
    const [what = ''] = (error instanceof Error ? error.message : String(error)).split('. ')
    throw new CreateFailure(what, { fix: 'list the options: npm create @sdk -- --help', exitCode: EXIT_CODES.usage })
  }
}
