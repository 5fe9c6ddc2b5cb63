import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type NodeProcess, spawnNode, startProcess } from '@sdk/test-kit'
import type { DemoProject } from '../demo-project.ts'

/** The command as it is installed. */
export const SDK: string = join(dirname(createRequire(import.meta.url).resolve('@sdk/cli/package.json')), 'bin/sdk.js')

/** The embedded PostgreSQL is WebAssembly; to optimize it takes longer than a test runs. */
export const NODE_FLAGS: readonly string[] = ['--liftoff-only']

/** A dev server of this project, on a port of its own. */
export function startDev({ path }: DemoProject, env: Record<string, string | undefined> = {}): Promise<NodeProcess> {
  const started = { file: SDK, args: ['dev'], cwd: path, env: { PORT: '0', ...env } }
  return spawnNode({ ...started, ready: /http:\/\/[\d.:]+/ })
}

/** What a command prints, and the code it ends with. */
export async function runSdk(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd, env })
  const { code } = await running.exited
  return `${toNeutral(running.output(), cwd)}\n(${code})`
}

/** What was printed, without what differs from run to run: folders, ports, times. */
export function toNeutral(text: string, folder: string): string {
  return text
    .replaceAll(folder, '<app>')
    .replace(/\b\d{2}:\d{2}:\d{2}\b/g, '<time>')
    .replace(/\b\d+(?:\.\d+)? (ms|s)\b/g, '<n> $1')
    .replace(/(127\.0\.0\.1:|port )\d+/g, '$1<port>')
    .replace(/\(pid \d+\)/g, '(pid <pid>)')
    .replace(/\bkill \d+/g, 'kill <pid>')
    .trim()
}
