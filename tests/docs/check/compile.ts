import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { temporaryFolder } from '@sdk/test-kit'
import { linkPackages, writeFiles } from '../write-page.ts'
import { ROOT, type Page } from './page.ts'
import { toSteps, type Files } from './project.ts'
import { writeRouteTypes } from './route-types.ts'

const TSC = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')

// Programs run concurrently with one checker each: two checkers would both check the types of all packages.
const BUILD = ['-b', '--pretty', 'false', '--builders', '4', '--checkers', '1']

/** A written project, and its source. */
interface Written {
  readonly folder: string
  readonly files: Files
  readonly page: string
  /** The reason why its routes have no types. */
  readonly failure: string | undefined
}

/** Compiles the code of pages. Returns the errors, each with its page and line. */
export async function compilePages(pages: readonly Page[], open?: (path: string) => Page): Promise<string[]> {
  const root = temporaryFolder('docs')
  linkPackages(root.path)
  const projects: Written[] = []
  for (const page of pages) {
    for (const [step, files] of toSteps(page, open).entries())
      if (files.size > 0) projects.push(await write(join(root.path, `${projects.length}`), page.path, { step, files }))
  }
  const programs = writeTogether(root.path, projects)
  const stale = await tsc(ROOT, ['-b'])
  const output = programs.length === 0 ? '' : await tsc(root.path, [...BUILD, ...programs])
  root.remove()
  const failures = projects.flatMap(({ failure }) => failure ?? [])
  return [...stale.split('\n').filter((line) => line !== ''), ...failures, ...toProblems(output, projects)]
}

async function write(folder: string, page: string, { step, files }: { step: number; files: Files }): Promise<Written> {
  writeFiles(folder, files)
  try {
    await writeRouteTypes(folder)
    return { folder, files, page, failure: undefined }
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return {
      folder,
      files,
      page,
      failure: `${page}: step ${step + 1} does not load: ${toPageLines(text, files, folder)}`,
    }
  }
}

/** One program for all pages without global declarations, which is faster; one each for the others. */
function writeTogether(root: string, projects: readonly Written[]): string[] {
  const isAlone = ({ folder, files }: Written): boolean =>
    existsSync(join(folder, 'src/sdk-routes.d.ts')) ||
    [...files.values()].some(({ text }) => /^\s*declare (?:module|global)\b/m.test(text))
  const [first, ...rest] = projects.filter((project) => !isAlone(project))
  if (first !== undefined) {
    const include = [first, ...rest].map(({ folder }) => `../${relative(root, folder)}/**/*`)
    writeFileSync(join(first.folder, 'tsconfig.all.json'), JSON.stringify({ extends: './tsconfig.json', include }))
  }
  const together = first === undefined ? [] : [join(first.folder, 'tsconfig.all.json')]
  return [...together, ...projects.filter(isAlone).map(({ folder }) => folder)]
}

function tsc(cwd: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [TSC, ...args], { cwd, maxBuffer: 2 ** 26 }, (_error, stdout) => resolve(stdout))
  })
}

/** Parses the compiler's messages, with lines of the pages, not the files. Reports a file of several steps once. */
function toProblems(output: string, projects: readonly Written[]): string[] {
  const problems = output.split(/\n(?=\S)/).flatMap((message) => {
    const [, path, line, column, text] = /^(.+?)\((\d+),(\d+)\): ([^]+)$/.exec(message.trim()) ?? []
    if (path === undefined) return message.trim() === '' ? [] : [message.trim()]
    const [, number, file = ''] = /(?:^|\/)(\d+)\/(.*)$/.exec(path) ?? []
    const source = projects[Number(number)]?.files.get(file)
    if (source === undefined) return [`${projects[Number(number)]?.page ?? path}: ${file}: ${text}`]
    return [`${source.page}:${source.line + Number(line) - 1}:${column} ${text}`]
  })
  return [...new Set(problems)]
}

function toPageLines(text: string, files: Files, folder: string): string {
  const [message = ''] = text.split(/\n\s+at /)
  const [, file, line] =
    [...text.matchAll(/(\/[^\s()]*?):(\d+):\d+/g)].find(([, path]) => path?.startsWith(folder)) ?? []
  const source = file === undefined ? undefined : files.get(relative(folder, file))
  return source === undefined ? message : `${message} (${source.page}:${source.line + Number(line) - 1})`
}
