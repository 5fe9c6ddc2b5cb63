import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { type RunningProcess, startProcess } from './running-process.ts'

/** Options of `spawnNode`. */
export interface SpawnNodeOptions {
  /** A `.ts` file runs from source, as in tests; any other file under plain Node. */
  file: string
  args?: readonly string[]
  cwd?: string
  env?: Record<string, string | undefined>
  /** The printed text that says it is up. @default the first URL */
  ready?: RegExp
}

/** A second Node process that is up. */
export interface NodeProcess extends RunningProcess {
  /** The text that `ready` matched: the printed URL. */
  readonly url: string
}

/** Starts a second Node process and waits until it prints its URL. */
export async function spawnNode(options: SpawnNodeOptions): Promise<NodeProcess> {
  const { file, args = [], ready = /https?:\/\/[^\s,)]+/, ...rest } = options
  const running = await startProcess({
    command: process.execPath,
    args: [...(file.endsWith('.ts') ? sourceFlags() : []), file, ...args],
    ...rest,
  })
  try {
    return { ...running, url: await running.waitFor(ready) }
  } catch (error) {
    await running.kill()
    throw error
  }
}

function sourceFlags(): string[] {
  const tsx = createRequire(import.meta.url).resolve('tsx')
  return ['--conditions=@sdk/source', '--import', pathToFileURL(tsx).href]
}
