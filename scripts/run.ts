import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { styleText } from 'node:util'

/** The result of a command. */
export interface Outcome {
  readonly code: number
  /** The complete output. */
  readonly output: string
  readonly seconds: number
}

/**
 * The compiler and the linter are Go programs that run for seconds. They take a quarter less CPU time if Go collects
 * garbage less often.
 */
const FEWER_COLLECTIONS = { GOGC: '400' }

/** Runs a command line and captures its output. */
export function capture(command: string, env: Record<string, string> = {}): Promise<Outcome> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { env: toEnv(env), stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 })
    })
  })
}

/** Runs a program in our terminal, forwards signals to its processes, and returns its exit code. */
export function attach(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<number> {
  // In a separate process group: a signal then reaches the program itself, not only its shells, and only once.
  const child = spawn(program, args, {
    env: toEnv(env),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  const pass = (signal: NodeJS.Signals): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, signal)
  }
  process.on('SIGINT', pass).on('SIGTERM', pass)
  // npm sends the signal only to its shell, which leaves this process without a parent.
  const parent = process.ppid
  const watch = setInterval(() => process.ppid === parent || pass('SIGTERM'), 500)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearInterval(watch)
      process.off('SIGINT', pass).off('SIGTERM', pass)
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGTERM'])
    })
  })
}

function toEnv(env: Record<string, string>): NodeJS.ProcessEnv {
  return { ...FEWER_COLLECTIONS, ...process.env, ...env }
}

/** Builds all packages. Prints output only if the build fails. */
export async function build(): Promise<boolean> {
  console.log('Building the packages …')
  const { code, output, seconds } = await capture('npm run build --silent')
  if (code === 0) console.log(styleText('dim', `built in ${seconds.toFixed(1)} s\n`))
  else console.error(output)
  return code === 0
}
