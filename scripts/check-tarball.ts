import { readFileSync } from 'node:fs'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import type { Packed } from './publishable.ts'

/** Returns the problems of a tarball that publint, "are the types wrong" and its contents report. */
export async function checkTarball(packed: Packed): Promise<string[]> {
  const bytes = readFileSync(packed.tarball)
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: new Uint8Array(bytes).buffer } })
  const lint = messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)

  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)))
  const problems = 'problems' in analysis ? analysis.problems.filter(concernsModules) : []
  const types = problems.map((problem) => `${problem.kind} ${JSON.stringify(problem)}`)
  return [...lint, ...types, ...checkContents(packed.files)].map((problem) => `${packed.name}: ${problem}`)
}

/** The files that every package must have. */
const REQUIRED = ['README.md', 'LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']
const UNWANTED = /\.test(-d)?\.|tsbuildinfo|node_modules|(^|\/)\.env/

/** Returns the problems of the paths inside a tarball. */
export function checkContents(files: readonly string[]): string[] {
  const missing = REQUIRED.filter((file) => !files.includes(file))
  // Templates become apps, which have their own tests.
  const unwanted = files.filter((file) => UNWANTED.test(file) && !file.startsWith('template/'))
  return [...missing.map((file) => `${file} is missing`), ...unwanted.map((file) => `${file} must not be published`)]
}

/** The profile `esm-only`: our packages do not support `require` or TypeScript's `node10` resolution. */
function concernsModules(problem: Problem): boolean {
  return !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind)
}
