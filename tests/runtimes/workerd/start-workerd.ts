import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { temporaryFolder } from '@sdk/test-kit'
import { build } from 'rolldown'
import { installWorkerd } from '../../../scripts/workerd.ts'

/** A running workerd. */
export interface Workerd {
  readonly url: string
  readonly pid: number
  /** The modules that the bundle imports at run time. */
  readonly imports: readonly string[]
  /** Returns everything that the Worker has logged. */
  output(): string
  stop(): Promise<void>
}

/** Options for `startWorkerd`. */
export interface WorkerdOptions {
  /** @default the flag that the guide recommends */
  readonly flags?: readonly string[]
  /** The bindings of the class `Sockets`. @default ['SOCKETS'] */
  readonly bindings?: readonly string[]
  /** Whether the module exports the class `Sockets`. @default true */
  readonly hasSockets?: boolean
}

/** Bundles a module as `wrangler deploy` does, and runs it in workerd. */
export async function startWorkerd(
  main: string,
  { flags = ['enable_request_signal'], bindings = ['SOCKETS'], hasSockets = true }: WorkerdOptions = {},
): Promise<Workerd> {
  const program = await installWorkerd()
  const folder = temporaryFolder('workerd')
  const imports = await bundleWorker(main, join(folder.path, 'worker.js'))
  writeFileSync(join(folder.path, 'config.capnp'), toConfig(flags, hasSockets ? bindings : null))
  const child = spawn(program, ['serve', 'config.capnp', '--control-fd=3'], {
    cwd: folder.path,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (data: Buffer) => (output += data.toString()))
  const control = child.stdio[3] as Readable
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    folder.remove()
  }
  const [first] = (await Promise.race([once(control, 'data'), once(child, 'exit').then(() => [])])) as [Buffer?]
  const { port } = JSON.parse(first?.toString().split('\n')[0] ?? '{}') as { port?: number }
  if (port === undefined || child.pid === undefined) {
    await stop()
    throw new Error(`workerd could not start:\n${output}`)
  }
  return { url: `http://127.0.0.1:${port}`, pid: child.pid, imports, output: () => output, stop }
}

async function bundleWorker(main: string, file: string): Promise<string[]> {
  const conditionNames = [...(process.env['SDK_TEST_BUILT'] ? [] : ['@sdk/source']), 'workerd', 'module', 'import']
  const { output } = await build({
    input: main,
    platform: 'neutral',
    resolve: { conditionNames, mainFields: ['module', 'main'] },
    output: { file, codeSplitting: false },
    logLevel: 'silent',
  })
  return output
    .flatMap((chunk) => (chunk.type === 'chunk' ? [...chunk.imports, ...chunk.dynamicImports] : []))
    .filter((name) => name !== output[0].fileName)
}

function toConfig(flags: readonly string[], bindings: readonly string[] | null): string {
  const list = (all: readonly string[]): string => `[${all.join(', ')}]`
  const sockets = `durableObjectNamespaces = [(className = "Sockets", uniqueKey = "sockets")],
  durableObjectStorage = (inMemory = void),
  bindings = ${list((bindings ?? []).map((name) => `(name = ${JSON.stringify(name)}, durableObjectNamespace = "Sockets")`))},`
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const main :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-06-01",
  compatibilityFlags = ${list(flags.map((flag) => JSON.stringify(flag)))},
  ${bindings === null ? '' : sockets}
);
`
}
