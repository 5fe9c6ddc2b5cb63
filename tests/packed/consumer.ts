import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Packed } from '../../scripts/publishable.ts'

const WORKSPACE = join(import.meta.dirname, '../..')

/** The compilers that users have, by version. */
export const COMPILERS: Readonly<Record<string, string>> = {
  '5.9': join(import.meta.dirname, 'compilers/5.9/node_modules/typescript/bin/tsc'),
  '6.0': join(import.meta.dirname, 'compilers/6.0/node_modules/typescript/bin/tsc'),
  '7.0': join(WORKSPACE, 'node_modules/typescript/bin/tsc'),
}

/** Installs the tarballs into an empty project, as a user would. */
export async function installPacked(folder: string, packages: readonly Packed[]): Promise<void> {
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const workspace = JSON.parse(readFileSync(join(WORKSPACE, 'package.json'), 'utf8'))
  write(join(folder, 'package.json'), {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { ...tarballs, '@types/node': '^20.19.0', '@types/react': '^19.0.0' },
    overrides: workspace.overrides,
  })
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-package-lock', '--no-audit', '--no-fund']
  const { code, output } = await run(folder, 'npm', ['install', ...flags])
  if (code !== 0) throw new Error(output)
}

/** What to compile, and how. */
export interface Compilation {
  readonly version: string
  /** As Node finds modules, or as bundlers do. */
  readonly resolution: 'nodenext' | 'bundler'
  readonly entries: readonly string[]
  /** `node`, or nothing for what runs in a browser. */
  readonly types: readonly string[]
}

/** Compiles a file that imports the entries, and their declarations with it; returns the complaints. */
export async function compile(folder: string, compilation: Compilation): Promise<string> {
  const { version, resolution, entries, types } = compilation
  const name = ['consumer', version, resolution, ...types].join('-')
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const uses = entries.map((_, index) => `entry${index}`)
  writeFileSync(
    join(folder, `${name}.ts`),
    [...imports, `export const all: object[] = [${uses.join(', ')}]`].join('\n'),
  )
  write(join(folder, `${name}.json`), {
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'],
      module: resolution === 'bundler' ? 'esnext' : 'nodenext',
      moduleResolution: resolution,
      strict: true,
      skipLibCheck: false,
      // TypeScript's own declarations are not ours to check, and would be half of the time.
      skipDefaultLibCheck: true,
      noEmit: true,
      types,
    },
    files: [`${name}.ts`],
  })
  return (await run(folder, process.execPath, [COMPILERS[version] ?? '', '-p', `${name}.json`])).output
}

/** Imports an entry in a Node process of its own, which must then end by itself. */
export function importEntry(folder: string, entry: string): Promise<{ code: number; output: string }> {
  return run(folder, process.execPath, ['--input-type=module', '-e', `await import('${entry}')`])
}

function run(cwd: string, program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const { NODE_OPTIONS: _, ...env } = process.env
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env, timeout: 120_000 }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr })
    })
  })
}

function write(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value, null, 2))
}
