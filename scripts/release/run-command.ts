import { spawn } from 'node:child_process'
import type { Outcome } from '../run.ts'

/** Options for `runCommand`. */
export interface CommandOptions {
  readonly cwd: string
  /** Variables to add; `undefined` removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Aborts the command and all processes that it started. */
  readonly signal: AbortSignal
  /** @default 900_000 */
  readonly timeoutMs?: number
}

/** Runs a command line until it exits, is aborted or times out. */
export async function runCommand(command: string, options: CommandOptions): Promise<Outcome> {
  const { cwd, env, signal, timeoutMs = 900_000 } = options
  signal.throwIfAborted()
  const started = performance.now()
  // In a separate process group, so that all of it can be terminated.
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const child = spawn('sh', ['-c', command], {
    cwd,
    env: { ...process.env, ...env },
    stdio: [...stdio],
    detached: true,
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
  }
  const end = (): void => endGroup(child.pid)
  const timer = setTimeout(() => {
    output += `\nended after ${timeoutMs / 1000} s without a result`
    end()
  }, timeoutMs)
  signal.addEventListener('abort', end, { once: true })
  const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)))
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  signal.throwIfAborted()
  return { code, output, seconds: (performance.now() - started) / 1000 }
}

/** Terminates a process and its descendants if it is still running. */
export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

/** Runs a command that must succeed; throws its output otherwise. */
export async function mustRun(command: string, options: CommandOptions): Promise<Outcome> {
  const outcome = await runCommand(command, options)
  if (outcome.code !== 0) throw new ReleaseError(`${command} failed with code ${outcome.code}:\n${lastLines(outcome)}`)
  return outcome
}

/** Returns the last lines of an output, which usually contain the cause of a failure. */
export function lastLines({ output }: Pick<Outcome, 'output'>, count = 25): string {
  return output.trim().split('\n').slice(-count).join('\n').replaceAll(/^/gm, '    ')
}

/** A problem whose message contains the fix; it is printed without a stack. */
export class ReleaseError extends Error {
  override readonly name = 'ReleaseError'
}
