import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import type { Problem } from '@sdk/workbench'
import { searchForWorkspaceRoot } from 'vite'
import { codeFrame, type TerminalStyle, type SourcePosition } from '@sdk/server/node'
import { dependenciesOf, readManifest } from './manifest.ts'
import { managerCommands } from './package-manager.ts'
import { systemFailure } from './system-failure.ts'

/** The part of the project that failed to load. */
export interface LoadTarget {
  readonly root: string
  /** The file that was loaded. The error may be in one of its imports. */
  readonly file: string
  /** The route that is affected. */
  readonly route: string
  /** The location of the code that threw, such as `src/api/index.ts:12:4`. It is used if the error has no location. */
  readonly at?: string
}

/** Converts an error from compiling or running a module to a problem with a location. */
export function toLoadProblem(thrown: unknown, { root, file, route, at: place = '' }: LoadTarget): Problem {
  const found = locateError(thrown, root) ?? locateInText(`at ${place}`, root)
  const at = found?.file ?? file
  return {
    route,
    message: problemMessage(thrown, root).replaceAll(root + sep, ''),
    file: relative(root, at),
    place: found?.place ?? null,
    frame: found === null ? '' : readFrame(found),
  }
}

/** Returns the file of a problem, with the line and column if they are known. */
export function toLocationText({ file, place }: Pick<Problem, 'file' | 'place'>): string {
  return place === null ? file : `${file}:${place.line}:${place.column}`
}

/** Formats a problem for the terminal. */
export function printProblem({ message, file, place, frame }: Problem, paint: TerminalStyle): string[] {
  const where = toLocationText({ file, place })
  const lines = frame === '' ? [] : frame.split('\n').map((line) => (line.startsWith('>') ? line : paint.dim(line)))
  return [`${paint.red('✗')} ${paint.bold(where)}`, `  ${message}`, ...lines.map((line) => `  ${line}`)]
}

interface Located {
  readonly file: string
  readonly place: SourcePosition
}

interface CompileError {
  readonly message: string
  readonly id?: string
  readonly loc?: { readonly file?: string; readonly line: number; readonly column: number }
}

function locateError(thrown: unknown, root: string): Located | null {
  const { id, loc } = compileErrorOf(thrown) ?? {}
  if (loc !== undefined) {
    const file = (loc.file ?? id)?.replace(/\?.*$/, '') // pages may request files with a query string
    if (file !== undefined) return { file, place: { line: loc.line, column: loc.column + 1 } }
  }
  return locateInStack(thrown, root) ?? locateInText(thrown instanceof Error ? thrown.message : '', root)
}

/** Returns the last location in a message, since the second of two conflicting definitions is the wrong one. */
function locateInText(text: string, root: string): Located | null {
  const [, path, line, column] = [...text.matchAll(/\bat ([^\s:]+):(\d+):(\d+)/g)].at(-1) ?? []
  const file = path === undefined ? '' : resolve(root, path)
  return file.startsWith(root + sep) && existsSync(file)
    ? { file, place: { line: Number(line), column: Number(column) } }
    : null
}

/** Returns the compiler's first error, which causes the others. For a worker, this is the first error in its bundle. */
function compileErrorOf(thrown: unknown): CompileError | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined
  if ('errors' in thrown && Array.isArray(thrown.errors))
    return compileErrorOf(thrown.errors[0]) ?? (thrown.errors[0] as CompileError | undefined)
  return 'loc' in thrown ? (thrown as CompileError) : undefined
}

/** Replaces the path of the project in a stack, in which Vite encodes spaces as `%20`. */
export function withSpaces(stack: string, root: string): string {
  return stack.replaceAll(root.replaceAll(/\s/g, encodeURIComponent), root)
}

/** Matches a line of a stack. The path may contain spaces and parentheses. */
const STACK_FRAME = /^\s*at (?:async )?(?:.*? \()?((?:file:\/\/)?\/[^<\n]+?):(\d+):(\d+)\)?$/gm

function locateInStack(thrown: unknown, root: string): Located | null {
  const runner = thrown instanceof Error && 'runnerError' in thrown ? thrown.runnerError : undefined
  const stack = [thrown, runner].map((error) => (error instanceof Error ? error.stack : '')).join('\n')
  const workspace = searchForWorkspaceRoot(root)
  const text = withSpaces(withSpaces(stack, root), workspace)
  const frames = Array.from(text.matchAll(STACK_FRAME), ([, path = '', line, column]): Located => {
    const file = path.startsWith('file:') ? fileURLToPath(path) : path
    return { file, place: { line: Number(line), column: Number(column) } }
  }).filter(({ file }) => !file.includes(`${sep}node_modules${sep}`))
  const isInside = (folder: string) => (frame: Located) => frame.file.startsWith(folder + sep)
  // A package of the same workspace may have failed before any file of the project ran.
  return frames.find(isInside(root)) ?? frames.find(isInside(workspace)) ?? null
}

function problemMessage(thrown: unknown, root: string): string {
  const failure = systemFailure(thrown)
  if (failure !== null) return `${failure.message}: ${failure.fix}`
  const text = compileErrorOf(thrown)?.message ?? (thrown instanceof Error ? thrown.message : String(thrown))
  const first = stripVTControlCharacters(text).trim().split('\n', 1)[0] ?? ''
  return withoutRunnerNames(first)
    .replace(/^\[[A-Z_]+\]\s*/, '')
    .replace(/^Failed to load url (?:\/@fs(?=\/))?(.+?) \(resolved id: .*$/, 'file not found: $1')
    .replace(/^Cannot find module '(.+?)' imported from .*$/, (_, specifier: string) =>
      describeMissingModule(specifier, root),
    )
    .replace(/^Failed to resolve import "(.+?)" from .*$/, (_, specifier: string) =>
      describeMissingModule(specifier, root),
    )
    .replace(/^Cannot find package '(.+?)' imported from .*$/, (_, found: string) =>
      describeMissingPackage(found, root),
    )
}

/** Removes the variables that Vite's module runner adds to imported names, as in `__vite_ssr_import_0__.z.strin`. */
export function withoutRunnerNames(text: string): string {
  return text
    .replaceAll(/\(0 ?, __vite_ssr_import_\d+__\.([\w$]+)\)/g, '$1')
    .replaceAll(/\b__vite_ssr_import_\d+__\./g, '')
}

/** Describes a package that Node does not find. Node remembers packages that it has not found before. */
function describeMissingPackage(found: string, root: string): string {
  const [, folder = '', name = ''] = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\/index\.js$/.exec(found) ?? []
  if (name === '') return describeMissingModule(found, root)
  if (!existsSync(join(folder, 'package.json')))
    return `the package ${name} is incomplete: ${managerCommands(root).install}`
  const { main, exports } = readManifest(folder)
  if (main === undefined && exports === undefined) return `the package ${name} has no code to import`
  return `the package ${name} was not yet installed when Node first resolved it: restart sdk dev`
}

const USE_TSCONFIG_PATHS =
  'set vite: { resolve: { tsconfigPaths: true } } in sdk.config.ts to apply the paths of tsconfig.json'

/** Describes a missing project file or a missing package. */
export function describeMissingModule(specifier: string, root: string): string {
  if (/^[./]/.test(specifier)) return `file not found: ${specifier}`
  // The usual prefixes of path aliases, which no package name has.
  if (/^(?:@\/|[~#$]|src\/)/.test(specifier))
    return `cannot resolve ${specifier}: use a relative path, or ${USE_TSCONFIG_PATHS}`
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
  const { install, add } = managerCommands(root)
  if (isListed(name, root)) return `the package ${name} is in package.json, but is not installed: ${install}`
  return `the package ${name} is not installed: ${add} ${name}`
}

function isListed(name: string, root: string): boolean {
  try {
    return Object.hasOwn(dependenciesOf(readManifest(root)), name)
  } catch {
    return false // there is no package.json, or it is invalid
  }
}

function readFrame({ file, place }: Located): string {
  try {
    return codeFrame(readFileSync(file, 'utf8'), place)
  } catch {
    return '' // the file no longer exists
  }
}
