import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

const COMPILER_OPTIONS =
  '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --module nodenext --customConditions @sdk/source --allowImportingTsExtensions --skipLibCheck --jsx react-jsx --lib ES2023,DOM,DOM.Iterable,DOM.AsyncIterable'

/** Compiles a file as a separate program against the sources of our packages, and returns the compiler's output. */
export function compileFile(file: URL): Promise<string> {
  return runCompiler([...COMPILER_OPTIONS.split(' '), fileURLToPath(file)])
}

/** Compiles the project in a folder with its `tsconfig.json`, and returns the compiler's output. */
export function compileProject(folder: string): Promise<string> {
  return runCompiler(['--noEmit', '-p', folder])
}

/** Counts the compiler's type instantiations for one file. Unlike the compile time, this number is deterministic. */
export async function countInstantiations(file: URL): Promise<number> {
  const options = [...COMPILER_OPTIONS.split(' '), '--types', 'node', '--singleThreaded', '--extendedDiagnostics']
  const output = await runCompiler([...options, fileURLToPath(file)])
  const [, count] = /^Instantiations:\s+(\d+)$/m.exec(output) ?? []
  if (count === undefined || output.includes('error TS')) throw new Error(output)
  return Number(count)
}

function runCompiler(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, ...args], (_error, stdout) => resolve(stdout))
  })
}
