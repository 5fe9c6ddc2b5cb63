import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Packed } from '../../scripts/publishable.ts'

const WORKSPACE = join(import.meta.dirname, '../..')

/** Installs the tarballs into an empty project, as a user would. */
export async function installPacked(folder: string, packages: readonly Packed[]): Promise<void> {
  const tarballs = Object.fromEntries(packages.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const workspace = JSON.parse(readFileSync(join(WORKSPACE, 'package.json'), 'utf8'))
  writeJson(join(folder, 'package.json'), {
    name: 'consumer',
    private: true,
    type: 'module',
    dependencies: { ...tarballs, react: '^19.0.0', '@types/node': '^20.19.0', '@types/react': '^19.0.0' },
    overrides: workspace.overrides,
  })
  // Peers get along, or the workspace would not have been installed; to find that out again takes npm four seconds.
  const flags = ['--legacy-peer-deps', '--prefer-offline', '--ignore-scripts', '--no-package-lock', '--no-audit']
  const { code, output } = await run(folder, 'npm', ['install', ...flags])
  if (code !== 0) throw new Error(output)
}

/** A program that imports entries and nothing else. */
export interface Program {
  readonly entries: readonly string[]
  /** As Node finds modules, or as bundlers do. */
  readonly resolution: 'nodenext' | 'bundler'
  /** `node`, or nothing for what runs in a browser. */
  readonly types: readonly string[]
}

/** Writes a program and returns its tsconfig. */
export function writeProgram(folder: string, { entries, resolution, types }: Program): string {
  const name = ['consumer', resolution, entries.length, ...types].join('-')
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}'`)
  const uses = entries.map((_, index) => `entry${index}`).join(', ')
  writeFileSync(join(folder, `${name}.ts`), [...imports, `export const all: object[] = [${uses}]\n`].join('\n'))
  writeJson(join(folder, `${name}.json`), {
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
  return join(folder, `${name}.json`)
}

/** The workspace's own compiler. */
const TSC = join(WORKSPACE, 'node_modules/typescript/bin/tsc')

/** Compiles, and checks every declaration on the way; returns the complaints. */
export async function compile(folder: string, tsconfig: string): Promise<string> {
  const { output } = await run(folder, process.execPath, [TSC, '-p', tsconfig])
  return output
}

/** Imports an entry in a Node process of its own, which must then end by itself. */
export function importEntry(folder: string, entry: string): Promise<{ code: number; output: string }> {
  return run(folder, process.execPath, ['--input-type=module', '-e', `await import('${entry}')`])
}

function run(cwd: string, program: string, args: readonly string[]): Promise<{ code: number; output: string }> {
  const { NODE_OPTIONS: _, ...env } = process.env
  return new Promise((resolve) => {
    const child = execFile(program, args, { cwd, env, timeout: 600_000 }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr })
    })
  })
}

function writeJson(file: string, value: unknown): void {
  writeFileSync(file, JSON.stringify(value, null, 2))
}
