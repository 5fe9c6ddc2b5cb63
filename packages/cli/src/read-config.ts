import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '@sdk/server'
import { runnerImport } from 'vite'
import { checkConfig } from './check-config.ts'
import { CONFIG_FILE, type Config } from './config.ts'
import { Failure } from './failure.ts'
import { importMetaPlugin } from './import-meta-plugin.ts'
import { toLoadProblem, toLocationText } from './problem.ts'

/** Reads `sdk.config.ts`. Returns an empty config if the file does not exist. `LOG_LEVEL`, which overrides it, is checked. */
export async function readConfig(root: string): Promise<Config> {
  checkLogLevel()
  const file = join(root, CONFIG_FILE)
  if (!existsSync(file)) return {}
  return checkConfig(await importConfig(root, file))
}

async function importConfig(root: string, file: string): Promise<unknown> {
  try {
    const { module } = await runnerImport<{ default?: unknown }>(file, {
      root,
      logLevel: 'silent',
      plugins: [importMetaPlugin],
    })
    return module.default
  } catch (cause) {
    const { message, place, frame } = toLoadProblem(cause, { root, file, route: CONFIG_FILE })
    throw new Failure(`${toLocationText({ file: CONFIG_FILE, place })} failed to load: ${message}`, {
      code: 'INVALID_CONFIG',
      lines: frame === '' ? [] : frame.split('\n'),
      fix: `correct ${file}, or delete it: every setting has a default`,
      cause,
    })
  }
}

/** Throws if `LOG_LEVEL` is not a log level. */
function checkLogLevel(): void {
  try {
    createLog()
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const fix = 'set it in the environment or in .env.local, or remove it'
    throw new Failure(message, { code: 'INVALID_ENVIRONMENT', fix, cause })
  }
}
