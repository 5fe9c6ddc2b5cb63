import { spawn } from 'node:child_process'
import { styleText } from 'node:util'

/** What became of a command. */
export interface Outcome {
  readonly code: number
  /** Everything it printed. */
  readonly output: string
  readonly seconds: number
}

/** Runs a command line and keeps what it prints. */
export function capture(command: string, env: Record<string, string> = {}): Promise<Outcome> {
  const started = performance.now()
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    }
    child.once('close', (code) => {
      resolve({ code: code ?? 1, output, seconds: (performance.now() - started) / 1000 })
    })
  })
}

/** Runs a program on our own terminal and passes signals on; gives its exit code. */
export function attach(program: string, args: readonly string[]): Promise<number> {
  const child = spawn(program, args, { stdio: 'inherit' })
  // Ctrl-C in a terminal reaches the program by itself; a second one would cut its goodbye short.
  process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'))
  process.on('SIGTERM', () => child.kill('SIGTERM'))
  return new Promise((resolve) => {
    child.once('close', (code) => resolve(code ?? 1))
  })
}

/** Builds every package, in silence unless it fails. */
export async function build(): Promise<boolean> {
  console.log('Building the packages …')
  const { code, output, seconds } = await capture('npm run build --silent')
  if (code === 0) console.log(styleText('dim', `built in ${seconds.toFixed(1)} s\n`))
  else console.error(output)
  return code === 0
}
