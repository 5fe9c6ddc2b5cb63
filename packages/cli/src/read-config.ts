import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { checkConfig } from './check-config.ts'
import { CONFIG_FILE, type Config } from './config.ts'
import { Failure } from './failure.ts'

/** Reads `sdk.config.ts`; where there is none, nothing is set. */
export async function readConfig(root: string): Promise<Config> {
  const file = join(root, CONFIG_FILE)
  if (!existsSync(file)) return {}
  return checkConfig(await importConfig(root, file))
}

async function importConfig(root: string, file: string): Promise<unknown> {
  try {
    const { module } = await runnerImport<{ default?: unknown }>(file, { root, logLevel: 'silent' })
    return module.default
  } catch (cause) {
    throw new Failure(`${CONFIG_FILE} does not load: ${firstLine(cause)}`, {
      code: 'INVALID_CONFIG',
      fix: `mend ${file}, or delete it: every setting has a default`,
      cause,
    })
  }
}

function firstLine(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).split('\n', 1)[0] ?? ''
}
