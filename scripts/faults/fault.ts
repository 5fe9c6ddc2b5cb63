import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** A small mistake in a source file that tests must find. */
export interface Fault {
  /** The package, a colon and the mistake. */
  readonly name: string
  readonly file: string
  /** The right code; it must occur once in the file. */
  readonly from: string
  readonly to: string
  /** Test files of which at least one test must fail. */
  readonly tests: readonly string[]
}

/** Returns the reasons why faults cannot be planted. */
export function findObstacles(faults: readonly Fault[]): string[] {
  return [
    ...faults.flatMap(({ name, file, from }) => {
      const count = existsSync(file) ? readFileSync(file, 'utf8').split(from).length - 1 : 0
      return count === 1 ? [] : [`${name}: ${JSON.stringify(from)} must occur once in ${file}, got ${count}`]
    }),
    ...faults.flatMap(({ name, tests }) =>
      tests.filter((test) => !existsSync(test)).map((test) => `${name}: ${test} does not exist`),
    ),
    ...changedFiles(faults.map(({ file }) => file)).map((line) => `commit or discard this change first: ${line}`),
  ]
}

/** Writes the fault into its file; returns a function that restores the file. */
export function plant({ file, from, to }: Fault): () => void {
  const original = readFileSync(file, 'utf8')
  const restore = (): void => writeFileSync(file, original)
  // Also after an exception. Signals end the run of the tests first, and then the script.
  process.once('exit', restore)
  // A function, as `$` has a meaning in a replacement text.
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
