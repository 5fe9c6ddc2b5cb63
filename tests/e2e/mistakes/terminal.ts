import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type NodeProcess, spawnNode, startProcess } from '@sdk/test-kit'
import type { DemoProject } from '../demo-project.ts'

/** The installed command. */
export const SDK: string = join(dirname(createRequire(import.meta.url).resolve('@sdk/cli/package.json')), 'bin/sdk.js')

/** A dev server of this project, on its own port. */
export function startDev({ path }: DemoProject, env: Record<string, string | undefined> = {}): Promise<NodeProcess> {
  const started = { file: SDK, args: ['dev'], cwd: path, env: { PORT: '0', ...env } }
  return spawnNode({ ...started, ready: /http:\/\/[\d.:]+/ })
}

/** Returns the output and the exit code of a command. */
export async function runSdk(cwd: string, args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const running = await startProcess({ command: process.execPath, args: [SDK, ...args], cwd, env })
  const { code } = await running.exited
  return `${toNeutral(running.output(), cwd)}\n(${code})`
}

/** Replaces the parts of an output that differ between runs: folders, ports, times. */
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
