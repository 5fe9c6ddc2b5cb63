/** `npm run packages`: are the tarballs right for every resolver? publint and "are the types wrong". */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { type Packed, packAll } from './publishable.ts'

const folder = mkdtempSync(join(tmpdir(), 'sdk-packages-'))
const complaints = (await Promise.all((await packAll(folder)).map(check))).flat()
rmSync(folder, { recursive: true })
for (const complaint of complaints) console.error(complaint)
process.exitCode = complaints.length > 0 ? 1 : 0

async function check({ name, tarball }: Packed): Promise<string[]> {
  const bytes = readFileSync(tarball)
  const { messages, pkg } = await publint({ strict: true, pack: { tarball: new Uint8Array(bytes).buffer } })
  const lint = messages.map((message) => `${name}: ${formatMessage(message, pkg, { color: false }) ?? message.code}`)

  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(bytes)))
  const problems = 'problems' in analysis ? analysis.problems.filter(concernsModules) : []
  return [...lint, ...problems.map((problem) => `${name}: ${problem.kind} ${JSON.stringify(problem)}`)]
}

/** The profile `esm-only`: nothing of ours is for `require` or for TypeScript's oldest resolver. */
function concernsModules(problem: Problem): boolean {
  return !('resolutionKind' in problem) || !['node10', 'node16-cjs'].includes(problem.resolutionKind)
}
