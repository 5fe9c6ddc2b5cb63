import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { runAfterExit } from './run-after-exit.ts'

/** The time in which a process must print what a test waits for: a very busy machine is slow. */
const PATIENCE_MS = 120_000

/** Options for `startProcess`. */
export interface ProcessOptions {
  command: string
  args?: readonly string[]
  cwd?: string
  /** Environment variables for the child process, in addition to those of this process. */
  env?: Record<string, string | undefined>
  /** The user to run the process as, which requires root. */
  uid?: number
  gid?: number
}

/** The result of a process: its exit code, or the signal that ended it. */
export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A running process that cannot outlive its parent. */
export interface RunningProcess {
  readonly pid: number
  hasEnded(): boolean
  /** A promise that resolves when the process has ended. */
  readonly exited: Promise<Exit>
  /** Returns the output so far, without colors. */
  output(): string
  /** Waits until the printed lines match the pattern, and resolves with the match. */
  waitFor(pattern: RegExp, options?: { timeout?: number }): Promise<string>
  /** Sends a signal, such as `SIGSTOP`, `SIGCONT` or `SIGTERM`, only to the process and not to its children. */
  signal(name: NodeJS.Signals): void
  /** Sends a signal, by default `SIGTERM`, and waits until the process has ended. */
  stop(name?: NodeJS.Signals): Promise<Exit>
  /** Sends `SIGKILL` to the process and its children, and waits until the process has ended. */
  kill(): Promise<Exit>
}

/** Starts a process and collects its output. */
export async function startProcess(options: ProcessOptions): Promise<RunningProcess> {
  const { command, args = [], cwd, env, uid, gid } = options
  const child = spawn(command, args, {
    ...(cwd !== undefined && { cwd }),
    ...(uid !== undefined && { uid }),
    ...(gid !== undefined && { gid }),
    env: { ...inheritedEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The child gets its own process group, so that `kill` also reaches the child's children, and Ctrl-C reaches only
    // this process.
    detached: true,
  })
  await once(child, 'spawn')
  return toRunningProcess(child, [command, ...args].join(' '))
}

/** Returns the environment without the database that `@sdk/server/testing` sets for the tests of this process. */
function inheritedEnv(): NodeJS.ProcessEnv {
  const { DATABASE_URL: url, ...inherited } = process.env
  return url === undefined || url === 'pglite://memory' ? inherited : { ...inherited, DATABASE_URL: url }
}

function toRunningProcess(child: ChildProcess, title: string): RunningProcess {
  const { pid } = child
  if (pid === undefined) throw new Error(`${title} has no process id`)
  const printed = new EventTarget()
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      printed.dispatchEvent(new Event('change'))
    })
  }
  const cancelGuard = runAfterExit('kill -s KILL -- "-$1"', String(pid))
  const exited = new Promise<Exit>((resolve) => {
    child.once('close', (code, signal) => {
      cancelGuard()
      resolve({ code, signal })
      printed.dispatchEvent(new Event('change'))
    })
  })
  const output = (): string => stripVTControlCharacters(text)
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null
  const send = (target: number, name: NodeJS.Signals): void => {
    if (!hasEnded()) process.kill(target, name)
  }

  return {
    pid,
    hasEnded,
    exited,
    output,
    async waitFor(pattern, { timeout = PATIENCE_MS } = {}) {
      const deadline = AbortSignal.timeout(timeout)
      for (;;) {
        const match = pattern.exec(output().replace(/[^\n]*$/, ''))
        if (match) return match[0]
        if (hasEnded()) throw new Error(`${title} exited before it printed ${pattern}:\n${output()}`)
        if (deadline.aborted) throw new Error(`${title} did not print ${pattern}:\n${output()}`)
        // After the timeout, the next iteration throws.
        await once(printed, 'change', { signal: deadline }).catch(() => {})
      }
    },
    signal: (name) => send(pid, name),
    stop(name = 'SIGTERM') {
      send(pid, name)
      return exited
    },
    kill() {
      send(-pid, 'SIGKILL')
      return exited
    },
  }
}
