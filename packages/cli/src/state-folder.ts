import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where `sdk dev` keeps runs and what the bundler prepared. */
export interface StateFolder {
  readonly path: string
  /** Why it is not `.sdk` of the project, but a folder of this start alone; null where it is. */
  readonly fault: string | null
  /** Takes back what is of this start alone. */
  close(): void
}

/** `.sdk` of a project, or another folder where that cannot be written: on a disk that is only read, say. */
export function openStateFolder(root: string): StateFolder {
  const path = join(root, '.sdk')
  const code = whyNot(path)
  if (code === null) return { path, fault: null, close() {} }
  const own = mkdtempSync(join(tmpdir(), 'sdk-dev-'))
  const fault = `.sdk cannot be written (${code}): runs are kept until this ends, and sdk run, runs and info do not find it`
  return { path: own, fault, close: () => rmSync(own, { recursive: true, force: true }) }
}

function whyNot(path: string): string | null {
  try {
    mkdirSync(path, { recursive: true })
    accessSync(path, constants.W_OK)
    return null
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}
