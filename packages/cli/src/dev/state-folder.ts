import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where `sdk dev` keeps runs and the bundler's cache. */
export interface StateFolder {
  readonly path: string
  /** Why it is a temporary folder instead of the project's `.sdk`; null where it is not. */
  readonly warning: string | null
  /** Removes a temporary folder. */
  close(): void
}

/** Opens the `.sdk` of a project, or a temporary folder where that cannot be written, as on a read-only disk. */
export function openStateFolder(root: string): StateFolder {
  const path = join(root, '.sdk')
  const code = findWriteError(path)
  if (code === null) return { path, warning: null, close() {} }
  const own = mkdtempSync(join(tmpdir(), 'sdk-dev-'))
  const warning = `.sdk cannot be written (${code}): runs are lost when sdk dev ends, and other commands do not find it`
  return { path: own, warning, close: () => rmSync(own, { recursive: true, force: true }) }
}

function findWriteError(path: string): string | null {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
