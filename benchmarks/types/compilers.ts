import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { cpuOfEnded } from '../harness/process-cost.ts'

/** A compiler, and the command of its editor service. */
export interface Compiler {
  readonly version: string
  readonly tsc: readonly [file: string, ...args: string[]]
  readonly server: readonly [file: string, ...args: string[]]
  readonly speaks: 'tsserver' | 'lsp'
}

/** The diagnostics of one run of `tsc`; null if the limit stopped it. */
export interface Compilation {
  readonly instantiations: number
  readonly checkSeconds: number
  readonly megabytes: number
  readonly cpuSeconds: number
}

const root = createRequire(join(import.meta.dirname, '../../package.json'))
/** The last compiler written in JavaScript, which the workspace installs for its packed test. */
const old = createRequire(root.resolve('@sdk/typescript-5.9/package.json'))

/** Both compilers, by the printed name. */
export const COMPILERS: Readonly<Record<string, Compiler>> = { '5.9': inJavaScript(), '7.0': native() }

function inJavaScript(): Compiler {
  const folder = dirname(old.resolve('typescript'))
  // More memory than Node's default, for large projects.
  const node = [process.execPath, '--max-old-space-size=8192'] as const
  return {
    version: versionOf(old),
    tsc: [...node, join(folder, 'tsc.js')],
    server: [
      ...node,
      join(folder, 'tsserver.js'),
      '--disableAutomaticTypingAcquisition',
      '--useInferredProjectPerProjectRoot',
    ],
    speaks: 'tsserver',
  }
}

/** Starts the program itself instead of its wrapper script, so that only its CPU time is counted. */
function native(): Compiler {
  const own = createRequire(root.resolve('typescript/package.json'))
  const name = `@typescript/typescript-${process.platform}-${process.arch}`
  const exe = join(dirname(own.resolve(`${name}/package.json`)), 'lib/tsc')
  return { version: versionOf(root), tsc: [exe], server: [exe, '--lsp', '--stdio'], speaks: 'lsp' }
}

function versionOf(from: NodeJS.Require): string {
  return (from('typescript/package.json') as { version: string }).version
}

/** Checks a project; a type error fails the run. */
export async function compile(
  { tsc: [file, ...args] }: Compiler,
  folder: string,
  limitMs: number,
): Promise<Compilation | null> {
  const before = cpuOfEnded()
  const child = spawn(file, [...args, '--noEmit', '--extendedDiagnostics', '-p', folder])
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  clearTimeout(timer)
  if (signal === 'SIGKILL') return null
  const text = Buffer.concat(chunks).toString()
  if (code !== 0) throw new Error(`${folder} does not compile:\n${text.slice(0, 2000)}`)
  const field = (name: string): number => Number(new RegExp(`^${name}:\\s+([\\d.]+)`, 'm').exec(text)?.[1])
  return {
    instantiations: field('Instantiations'),
    checkSeconds: field('Check time'),
    megabytes: field('Memory used') / 1024,
    cpuSeconds: (cpuOfEnded() - before) / 1000,
  }
}
