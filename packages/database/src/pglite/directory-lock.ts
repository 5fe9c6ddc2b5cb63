import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** The folder for locks. It is in the data directory, which may be the only thing that two containers share. */
export const LOCK_FOLDER = '.sdk-lock'

/**
 * The interval at which an owner refreshes its lock, and the time after which a lock is stale if it was not refreshed,
 * in ms.
 */
const REFRESH_INTERVAL_MS = 5000
const STALE_AFTER_MS = 30_000

/**
 * Locks a data directory for this process, and returns a function that releases the lock. Two processes in one PGlite
 * directory would silently lose each other's rows, so the second one is rejected.
 */
export function lockDirectory(directory: string): () => void {
  const folder = join(directory, LOCK_FOLDER)
  const ownName = lockNameOf(process.pid)
  const ownFile = join(folder, ownName)
  makePrivate(directory)
  mkdirSync(folder, { recursive: true })
  // Each process writes its own file before it reads the others. If two processes start concurrently, at least one of
  // them sees the other. A single shared file could not guarantee that.
  claimLock(ownFile, directory)
  const others = readdirSync(folder).filter((name) => name !== ownName)
  // Uses the file system's clock, since the clock of another machine may differ.
  const now = readModifiedTime(ownFile)
  const owner = others.find((name) =>
    isSameHost(name) ? isProcessAlive(name) : now - readModifiedTime(join(folder, name)) < STALE_AFTER_MS,
  )
  if (owner !== undefined) {
    rmSync(ownFile, { force: true })
    throw new Error(lockedMessage(directory, describeOwner(owner)))
  }
  for (const stale of others) rmSync(join(folder, stale), { force: true })
  const refreshTimer = setInterval(() => refreshLock(ownFile), REFRESH_INTERVAL_MS).unref()
  return () => {
    clearInterval(refreshTimer)
    rmSync(ownFile, { force: true })
  }
}

/** Denies other users access to the directory, because PGlite creates files that every user can read and write. */
function makePrivate(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  try {
    if ((statSync(directory).mode & 0o077) !== 0) chmodSync(directory, 0o700)
  } catch (error) {
    // The volume belongs to another user, who controls its permissions.
    if (!isErrno(error, 'EPERM')) throw error
  }
}

function claimLock(file: string, directory: string): void {
  try {
    writeFileSync(file, LOCK_TEXT, { flag: 'wx' })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    const owner = 'this process. Wait until that database is closed, load @sdk/database only once'
    throw new Error(lockedMessage(directory, owner), { cause: error })
  }
}

const LOCK_TEXT = 'A process is using this database.\n'

/** Refreshes the lock for processes that cannot check whether this process is alive. */
function refreshLock(file: string): void {
  try {
    writeFileSync(file, LOCK_TEXT, { flag: 'r+' })
  } catch {
    // The directory was removed or is currently not writable. The next attempt may succeed.
  }
}

/** Returns the time at which a file was last written, or 0 if the file does not exist. */
function readModifiedTime(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function describeOwner(name: string): string {
  const seconds = STALE_AFTER_MS / 1000
  return isSameHost(name)
    ? `another process (pid ${Number.parseInt(name, 10)}). Stop that process`
    : `another container or on another machine, or was until recently. Stop it there and wait ${seconds} s`
}

function lockedMessage(directory: string, owner: string): string {
  return (
    `The embedded database in ${directory} is already open in ${owner}, or use another directory ` +
    '(pglite://other/dir) or a PostgreSQL server (DATABASE_URL=postgres://…).'
  )
}

/**
 * Returns the name of a process's lock: the pid, the start time, and the scope in which the pid is valid. The start
 * time is needed because the same pid may belong to a different process after a crash.
 */
function lockNameOf(pid: number): string {
  return `${pid}-${readProcessStat(pid)?.startTime ?? 0}-${HOST_ID}`
}

function isSameHost(name: string): boolean {
  return name.endsWith(`-${HOST_ID}`)
}

/** The id of the scope in which processes can see each other: one boot of one machine, in one container. */
const HOST_ID = createHash('sha256')
  .update(
    [
      hostname(),
      readOptional(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      readOptional(() => readlinkSync('/proc/self/ns/pid')),
    ].join(),
  )
  .digest('hex')
  .slice(0, 16)

function readOptional(read: () => string): string {
  try {
    return read()
  } catch {
    // These files exist only on Linux.
    return ''
  }
}

function isProcessAlive(name: string): boolean {
  const pid = Number.parseInt(name, 10)
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  const stat = readProcessStat(pid)
  if (stat) return stat.state !== 'Z' && name === lockNameOf(pid)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: the process exists, but belongs to another user.
    return isErrno(error, 'EPERM')
  }
}

/** Returns the status of a process on Linux. Returns undefined on other systems, or if the process does not exist. */
function readProcessStat(pid: number): { state: string | undefined; startTime: string | undefined } | undefined {
  try {
    // The command name in parentheses may itself contain spaces and parentheses.
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state, startTime: rest[18] }
  } catch {
    // There is no /proc, or no such process. The caller checks with a signal instead.
    return undefined
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
