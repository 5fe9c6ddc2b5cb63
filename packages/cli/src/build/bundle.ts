import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { createLogger, type build, type Logger, type Rolldown } from 'vite'
import { Failure } from '../failure.ts'
import { locateImport, type ImportLocation } from '../locate-import.ts'
import { describeMissingModule, printProblem, toLoadProblem, type LoadTarget } from '../problem.ts'
import { systemFailure } from '../system-failure.ts'
import { createTerminal } from '../terminal.ts'

/** A file that the bundler created. */
export type BundledFile = Rolldown.OutputChunk | Rolldown.OutputAsset

/** Returns the files of a build, which must not be in watch mode. */
export function bundledFiles(result: Awaited<ReturnType<typeof build>>): BundledFile[] {
  if ('close' in result) throw new TypeError('the build must not be in watch mode')
  return [result].flat().flatMap(({ output }) => output)
}

/** Creates a logger for warnings. Errors are reported separately, with their location. */
export function createWarningLogger(): Logger {
  return { ...createLogger('warn'), error() {} }
}

/** Runs a bundler. Converts a compile error to a `Failure` with its location and a code frame, as in `sdk dev`. */
export async function withErrorLocation<T>(
  root: string,
  target: Omit<LoadTarget, 'root'>,
  bundle: () => Promise<T>,
): Promise<T> {
  try {
    return await bundle()
  } catch (error) {
    const failure = error instanceof Failure ? error : systemFailure(error)
    if (failure !== null) throw failure
    const problem = toLoadProblem(locateBundleError(error, root), { root, ...target })
    throw new Failure('the build failed', {
      code: 'LOAD_FAILED',
      lines: printProblem(problem, createTerminal().paint),
      fix: `fix the error above${existsSync(join(root, 'dist/server')) ? '; the last build is still in dist' : ''}`,
      cause: error,
    })
  }
}

/** Adds the location to an error. The bundler includes it only in the message, relative to the working directory. */
function locateBundleError(error: unknown, root: string): unknown {
  const text = stripVTControlCharacters(firstErrorMessage(error))
  const [, missing, importer] = /failed to resolve import "(.+)" from "(.+)"/.exec(text) ?? []
  if (missing !== undefined && importer !== undefined) {
    return errorAt(describeMissingModule(missing, root), locateImport(missing, importer))
  }
  const [, file, line, column] = /╭─\[ (.+):(\d+):(\d+) \]/.exec(text) ?? []
  if (file === undefined) return error
  const loc = { file: resolve(file), line: Number(line), column: Number(column) - 1 }
  return errorAt(text.replace(/^\[[\w:-]+\] /, ''), loc)
}

function errorAt(message: string, loc: ImportLocation): Error {
  return Object.assign(new Error(message), { loc })
}

/** Returns the message of the first error, which is the cause of the others. */
function firstErrorMessage(error: unknown): string {
  const { errors = [] } = error as { errors?: readonly unknown[] }
  const first = errors[0] ?? error
  return first instanceof Error ? first.message : String(first)
}
