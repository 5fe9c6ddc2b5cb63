import { randomBytes, timingSafeEqual } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a running `sdk dev` tells other commands of the same project, in `.sdk/dev.json`. */
export interface DevServerInfo {
  readonly url: string
  /** The link that opens the workbench. */
  readonly workbench: string
  readonly pid: number
  /** The secret of this start: it opens the workbench, and lets a call act as a user. */
  readonly pass: string
}

/** A secret for one run of a dev server. */
export function createPass(): string {
  return randomBytes(32).toString('base64url')
}

/** Is this the pass? Compared in constant time, so that nobody can guess it byte by byte. */
export function isSamePass(shown: string, pass: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(pass)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Writes a note that only its owner can read. Returns a function that removes it. */
export function writeDevServerInfo(root: string, info: DevServerInfo): () => void {
  const file = infoFile(root)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true }) // an old file would keep its mode
  writeFileSync(file, `${JSON.stringify(info)}\n`, { mode: 0o600 })
  // With two dev servers in one project, the note is that of the later one.
  return () => {
    if (readDevServerInfo(root)?.pid === info.pid) rmSync(file, { force: true })
  }
}

/** The note of the `sdk dev` that runs in this project; null where none does. */
export function readDevServerInfo(root: string): DevServerInfo | null {
  try {
    const note: unknown = JSON.parse(readFileSync(infoFile(root), 'utf8'))
    return isDevServerInfo(note) && isProcessAlive(note.pid) ? note : null
  } catch {
    return null // there is no note
  }
}

function infoFile(root: string): string {
  return join(root, '.sdk/dev.json')
}

function isDevServerInfo(value: unknown): value is DevServerInfo {
  if (typeof value !== 'object' || value === null) return false
  const { url, workbench, pid, pass } = value as Record<string, unknown>
  return [url, workbench, pass].every((one) => typeof one === 'string') && typeof pid === 'number'
}

/** Does this process run? One that was killed could not remove its note. */
function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // it runs, as another user
  }
}
