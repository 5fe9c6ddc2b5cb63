import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAfterExit } from './run-after-exit.ts'

/** A unique folder in the system's temporary folder. */
export interface TemporaryFolder {
  readonly path: string
  /** Deletes the folder. This also happens automatically when this process exits. */
  remove(): void
}

/** Creates an empty folder that does not outlive this process. */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `sdk-${name}-`))
  // The delay lets processes that are still writing to the folder exit first, since they are killed at the same time.
  const cancelRemoval = runAfterExit('sleep 1; rm -rf -- "$1"', path)
  return {
    path,
    remove() {
      cancelRemoval()
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
