import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMemoryFolder } from './memory-folder.ts'
import { attach } from './run.ts'
import { type Totals, TOTALS_FILE } from './totals-reporter.ts'

/** Runs vitest on the built packages and returns its totals; undefined if it exited before it wrote them. */
export async function runTests(args: readonly string[], env: Record<string, string> = {}): Promise<Totals | undefined> {
  const memory = createMemoryFolder()
  const folder = mkdtempSync(join(tmpdir(), 'sdk-totals-'))
  const file = join(folder, 'totals.json')
  try {
    const reporters = ['--reporter=default', '--reporter=./scripts/totals-reporter.ts']
    const code = await attach('vitest', ['run', ...reporters, ...args], {
      ...(memory === undefined ? {} : { TMPDIR: memory }),
      ...env,
      [TOTALS_FILE]: file,
      SDK_TEST_BUILT: 'yes',
    })
    const counted = readTotals(file)
    // Any failure of vitest counts, even if no test failed.
    return counted && code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted
  } finally {
    rmSync(folder, { recursive: true })
    if (memory !== undefined) rmSync(memory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function readTotals(file: string): Totals | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Totals
  } catch {
    return undefined // vitest exited before it wrote the totals
  }
}
