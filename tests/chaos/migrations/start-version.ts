import { join } from 'node:path'
import { type NodeProcess, type RunningProcess, nodeArguments, spawnNode, startProcess } from '@sdk/test-kit'
import type { ServerArgument } from './version-server.ts'

const FILE = join(import.meta.dirname, 'version-server.ts')

/** The argument of a server, and its database. */
export interface VersionOptions extends ServerArgument {
  readonly url: string
}

/** Starts a server of a version. Resolves when it accepts connections. */
export async function startVersion(options: VersionOptions): Promise<NodeProcess> {
  const { args, env } = toProgram(options)
  const started = await spawnNode({ file: FILE, args, env, ready: /serves http:\S+/ })
  return { ...started, url: started.url.replace('serves ', '') }
}

/** Starts a server of a version without waiting for it. */
export async function beginVersion(options: VersionOptions): Promise<RunningProcess> {
  const { args, env } = toProgram(options)
  return startProcess({ command: process.execPath, args: [...(await nodeArguments(FILE)), ...args], env })
}

function toProgram({ versions, url, folder }: VersionOptions) {
  return {
    args: [JSON.stringify({ versions, folder } satisfies ServerArgument)],
    env: { NODE_ENV: 'production', DATABASE_URL: url },
  }
}
