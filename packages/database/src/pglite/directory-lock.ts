import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

/** Where the locks are: in the directory itself, which may be all that two containers share. */
export const LOCK_FOLDER = '.sdk-lock'

/** How often an owner touches its lock, and how long it counts as alive after that, in milliseconds. */
const BEAT = 5000
const LIFE = 30_000

/**
 * Claims a data directory for this process, and returns how to give it back. Two processes in one
 * PGlite directory lose each other's rows without a word, so the second one is refused.
 */
export function lockDirectory(directory: string): () => void {
  const folder = join(directory, LOCK_FOLDER)
  const me = nameOf(process.pid)
  const mine = join(folder, me)
  mkdirSync(folder, { recursive: true })
  // One file a process, written before the others are looked at: of two that start at once at
  // least one sees the other. Taking over a single shared file cannot promise that.
  claim(mine, directory)
  const others = readdirSync(folder).filter((name) => name !== me)
  // By the clock of the file system, since that of another machine may differ.
  const now = readTime(mine)
  const owner = others.find((name) => (isFromHere(name) ? isAlive(name) : now - readTime(join(folder, name)) < LIFE))
  if (owner !== undefined) {
    rmSync(mine, { force: true })
    throw new Error(refusal(directory, describeOwner(owner)))
  }
  for (const stale of others) rmSync(join(folder, stale), { force: true })
  const beat = setInterval(() => touch(mine), BEAT).unref()
  return () => {
    clearInterval(beat)
    rmSync(mine, { force: true })
  }
}

function claim(file: string, directory: string): void {
  try {
    writeFileSync(file, CONTENT, { flag: 'wx' })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    const owner = 'this process already. Wait until it is closed, load @sdk/database only once'
    throw new Error(refusal(directory, owner), { cause: error })
  }
}

const CONTENT = 'This process uses the database.\n'

/** For those who cannot see this process. */
function touch(file: string): void {
  try {
    writeFileSync(file, CONTENT, { flag: 'r+' })
  } catch {
    // The directory is gone, or cannot be written to now: the next time may do.
  }
}

/** When a file was written; long ago, if it is gone. */
function readTime(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function describeOwner(name: string): string {
  return isFromHere(name)
    ? `another process (pid ${Number.parseInt(name, 10)}). Stop that process`
    : `another container or machine, or was until ${LIFE / 1000} s ago. Stop it and wait so long`
}

function refusal(directory: string, owner: string): string {
  return (
    `The embedded database in ${directory} is open in ${owner}, or use a directory of its own ` +
    '(pglite://other/dir) or a PostgreSQL server (DATABASE_URL=postgres://…).'
  )
}

/** Pid and start time, because after a crash the same pid may belong to somebody else; and where that pid means something. */
function nameOf(pid: number): string {
  return `${pid}-${readStat(pid)?.startTime ?? 0}-${PLACE}`
}

function isFromHere(name: string): boolean {
  return name.endsWith(`-${PLACE}`)
}

/** Which processes can see each other: those of one machine, since its start, in one container. */
const PLACE = createHash('sha256')
  .update(
    [
      hostname(),
      readIfThere(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      readIfThere(() => readlinkSync('/proc/self/ns/pid')),
    ].join(),
  )
  .digest('hex')
  .slice(0, 16)

function readIfThere(read: () => string): string {
  try {
    return read()
  } catch {
    // Only Linux tells it.
    return ''
  }
}

function isAlive(name: string): boolean {
  const pid = Number.parseInt(name, 10)
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  const stat = readStat(pid)
  if (stat) return stat.state !== 'Z' && name === nameOf(pid)
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, but belongs to another user.
    return isErrno(error, 'EPERM')
  }
}

/** What Linux tells about a process; nothing elsewhere, or when there is no such process. */
function readStat(pid: number): { state: string | undefined; startTime: string | undefined } | undefined {
  try {
    // The command name in parentheses may itself hold spaces and parentheses.
    const [state, ...rest] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { state, startTime: rest[18] }
  } catch {
    // No /proc, or no such process: the caller asks with a signal instead.
    return undefined
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
