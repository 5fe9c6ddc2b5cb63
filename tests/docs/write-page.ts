import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { temporaryFolder, type TemporaryFolder } from '@sdk/test-kit'
import { readPage, ROOT } from './check/page.ts'
import { toSteps, type Files } from './check/project.ts'

/** The state of a page's project to write. */
export interface WritePageOptions {
  /** The step, 1-based: each replaced file starts a new one. @default the last step */
  readonly step?: number
}

/**
 * Writes the project that a page shows into a separate folder, to run it: `testApp(project.path)`, or `sdk` in it.
 * @example const project = await writePage('docs/guide/agents.md')
 */
export async function writePage(path: string, { step }: WritePageOptions = {}): Promise<TemporaryFolder> {
  const steps = toSteps(readPage(path))
  const files = step === undefined ? steps.at(-1) : steps[step - 1]
  if (files === undefined) throw new TypeError(`${path} has ${steps.length} steps, not ${step}`)
  const folder = temporaryFolder('docs')
  linkPackages(folder.path)
  writeFiles(folder.path, files)
  return folder
}

/** Makes the packages of this clone resolvable in a folder, including those that npm nests in one of ours. */
export function linkPackages(folder: string): void {
  const target = join(folder, 'node_modules')
  mkdirSync(target)
  const homes = ['', ...readdirSync(join(ROOT, 'packages')).map((name) => `packages/${name}`)]
  for (const home of homes.map((name) => join(ROOT, name, 'node_modules')).filter((path) => existsSync(path)))
    for (const name of readdirSync(home).filter((entry) => !existsSync(join(target, entry))))
      symlinkSync(join(home, name), join(target, name))
}

/** Writes a project to compile and run it. */
export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{ "name": "page", "private": true, "type": "module" }\n')
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ['**/*'] }))
  for (const [file, { text }] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

/** As in the templates, with the types of both the DOM and Node. */
const COMPILER_OPTIONS = {
  target: 'ES2023',
  lib: ['ES2023', 'DOM', 'DOM.Iterable', 'DOM.AsyncIterable'],
  module: 'preserve',
  moduleResolution: 'bundler',
  moduleDetection: 'force',
  types: ['node'],
  jsx: 'react-jsx',
  strict: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: false,
  verbatimModuleSyntax: true,
  erasableSyntaxOnly: true,
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  noEmit: true,
}
