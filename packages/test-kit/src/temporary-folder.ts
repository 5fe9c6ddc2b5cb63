import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAfterExit } from './run-after-exit.ts'

/** A unique folder in the system's temporary folder. */
export interface TemporaryFolder {
  readonly path: string
  /** Deletes the folder; this also happens automatically when this process ends. */
  remove(): void
}

/** Creates an empty folder that does not outlive this process. */
export function temporaryFolder(name: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), `sdk-${name}-`))
  // Waits for processes that still write to it: they are killed at the same time.
  const cancelRemoval = runAfterExit('sleep 1; rm -rf -- "$1"', path)
  return {
    path,
    remove() {
      cancelRemoval()
      rmSync(path, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
