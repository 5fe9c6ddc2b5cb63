import { randomBytes, timingSafeEqual } from 'node:crypto'
import { lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isProcessAlive } from '../process-lifetime.ts'

/** Information about a project's running `sdk dev`, which other commands read from `.sdk/dev.json`. */
export interface DevServerInfo {
  readonly url: string
  /** The link that opens the workbench. */
  readonly workbench: string
  readonly pid: number
  /** The project's secret, which opens the workbench and allows calls to act as a user. */
  readonly pass: string
}

/** Creates a secret for a dev server. */
export function createPass(): string {
  return randomBytes(32).toString('base64url')
}

/**
 * Reads the dev server's secret from a project's `.sdk` folder, or creates it there. It is stored so that open pages
 * survive a restart.
 */
export function readPass(folder: string): string {
  const file = join(folder, 'dev-secret')
  const stored = readPrivateFile(file)
  if (stored !== null && /^[\w-]{43}$/.test(stored)) return stored
  const pass = createPass()
  rmSync(file, { force: true })
  writeFileSync(file, pass, { mode: 0o600, flag: 'wx' })
  return pass
}

/** Returns whether a secret is correct. Compares it in constant time, so that it cannot be guessed byte by byte. */
export function isSamePass(shown: string, pass: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(pass)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Writes `.sdk/dev.json`, which only its owner can read. Returns a function that removes the file. */
export function writeDevServerInfo(root: string, info: DevServerInfo): () => void {
  const file = infoFile(root)
  mkdirSync(dirname(file), { recursive: true })
  rmSync(file, { force: true }) // writing to an existing file would keep its mode
  writeFileSync(file, `${JSON.stringify(info)}\n`, { mode: 0o600 })
  // If two dev servers run in one project, the file belongs to the one that started last.
  return () => {
    if (readDevServerInfo(root)?.pid === info.pid) rmSync(file, { force: true })
  }
}

/** Reads `.sdk/dev.json`. Returns null if no `sdk dev` is running in the project. */
export function readDevServerInfo(root: string): DevServerInfo | null {
  try {
    const info: unknown = JSON.parse(readFileSync(infoFile(root), 'utf8'))
    return isDevServerInfo(info) && isProcessAlive(info.pid) ? info : null
  } catch {
    return null // the file is missing or invalid
  }
}

/** Reads a file. Returns null if anyone but its owner can access it, since its content might not be secret. */
function readPrivateFile(file: string): string | null {
  try {
    const info = lstatSync(file)
    const isPrivate = process.platform === 'win32' || (info.mode & 0o077) === 0
    return info.isFile() && isPrivate ? readFileSync(file, 'utf8') : null
  } catch {
    return null // the file does not exist
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
