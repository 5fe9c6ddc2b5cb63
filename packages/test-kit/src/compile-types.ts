import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sourceConditions } from './compile-program.ts'

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

const COMPILER_OPTIONS =
  '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --module nodenext --allowImportingTsExtensions --skipLibCheck --jsx react-jsx --lib ES2023,DOM,DOM.Iterable,DOM.AsyncIterable'

/**
 * Compiles a file as a separate program against our packages, and returns the compiler's output. If the packages are
 * built, the compiler reads their declarations, as for users, instead of checking all sources again.
 */
export function compileFile(file: URL): Promise<string> {
  return runCompiler([...COMPILER_OPTIONS.split(' '), ...conditionFlags(), fileURLToPath(file)])
}

/** Compiles the project in a folder with its `tsconfig.json`, and returns the compiler's output. */
export function compileProject(folder: string): Promise<string> {
  return runCompiler(['--noEmit', '-p', folder])
}

/** Counts the compiler's type instantiations for one file. Unlike the compile time, this number is deterministic. */
export async function countInstantiations(file: URL): Promise<number> {
  const flags = [...conditionFlags(), '--types', 'node', '--singleThreaded', '--extendedDiagnostics']
  const options = [...COMPILER_OPTIONS.split(' '), ...flags]
  const output = await runCompiler([...options, fileURLToPath(file)])
  const [, count] = /^Instantiations:\s+(\d+)$/m.exec(output) ?? []
  if (count === undefined || output.includes('error TS')) throw new Error(output)
  return Number(count)
}

/** Returns the flags that make the compiler read our sources, or none if it reads our declarations. */
function conditionFlags(): string[] {
  return sourceConditions().flatMap((condition) => ['--customConditions', condition])
}

function runCompiler(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, ...args], (_error, stdout) => resolve(stdout))
  })
}
