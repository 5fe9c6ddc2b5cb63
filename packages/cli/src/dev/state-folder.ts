import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Opens the folder where `sdk dev` stores runs and the bundler's cache: `.sdk` in the project, or a temporary folder
 * if `.sdk` is not writable, for example on a read-only disk. In that case, `warning` contains the reason, and `close`
 * removes the temporary folder.
 */
export function openStateFolder(root: string): { path: string; warning: string | null; close(): void } {
  const path = join(root, '.sdk')
  const code = findWriteError(path)
  if (code === null) return { path, warning: null, close() {} }
  const own = mkdtempSync(join(tmpdir(), 'sdk-dev-'))
  const warning = `cannot write to .sdk (${code}): runs will be lost on exit, and other commands cannot find the server`
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
