import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A small bug in a source file that the tests must find. */
export interface Fault {
  /** The package, a colon and the bug. */
  readonly name: string
  readonly file: string
  /** The correct code; it must occur once in the file. */
  readonly from: string
  readonly to: string
  /** The test files; at least one test must fail. */
  readonly tests: readonly string[]
}

/** Returns the reasons why faults cannot be introduced. */
export function findObstacles(faults: readonly Fault[]): string[] {
  const changes = changedFiles(faults.map(({ file }) => file))
  return [...findStaleFaults(faults), ...changes.map((line) => `commit or discard this change first: ${line}`)]
}

/** Describes the faults whose code or tests no longer exist. */
export function findStaleFaults(faults: readonly Fault[]): string[] {
  return [
    ...faults.flatMap(({ name, file, from }) => {
      const count = existsSync(file) ? readFileSync(file, 'utf8').split(from).length - 1 : 0
      return count === 1 ? [] : [`${name}: ${JSON.stringify(from)} must occur once in ${file}, got ${count}`]
    }),
    ...faults.flatMap(({ name, tests }) =>
      tests.filter((test) => !existsSync(test)).map((test) => `${name}: ${test} does not exist`),
    ),
  ]
}

/** Writes the fault into its file. Returns a function that restores the file. */
export function plant({ file, from, to }: Fault): () => void {
  const original = readFileSync(file, 'utf8')
  const restore = (): void => writeFileSync(file, original)
  // Runs after exceptions too. A signal first ends the test run, and then the script.
  process.once('exit', restore)
  // A function, since `$` has a special meaning in a replacement string.
  writeFileSync(
    file,
    original.replace(from, () => to),
  )
  return () => {
    restore()
    process.off('exit', restore)
  }
}

function changedFiles(files: readonly string[]): string[] {
  if (files.length === 0) return []
  const status = execFileSync('git', ['status', '--porcelain', '--', ...files], { encoding: 'utf8' })
  return status.split('\n').filter((line) => line !== '')
}
