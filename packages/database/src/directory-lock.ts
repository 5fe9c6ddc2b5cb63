import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Claims a data directory for this process, and returns how to give it back. Two processes in one
 * PGlite directory lose each other's rows without a word, so the second one is refused.
 */
export function lockDirectory(directory: string): () => void {
  const folder = `${directory}.lock`
  const me = nameOf(process.pid)
  const unlock = (): void => rmSync(join(folder, me), { force: true })
  mkdirSync(folder, { recursive: true })
  // One file a process, written before the others are looked at: of two that start at once at
  // least one sees the other. Taking over a single shared file cannot promise that.
  claim(join(folder, me), directory)
  const others = readdirSync(folder).filter((name) => name !== me)
  const owner = others.find(isAlive)
  if (owner !== undefined) {
    unlock()
    throw new Error(refusal(directory, `another process (pid ${Number.parseInt(owner, 10)}). Stop that process`))
  }
  for (const stale of others) rmSync(join(folder, stale), { force: true })
  return unlock
}

function claim(file: string, directory: string): void {
  try {
    writeFileSync(file, '', { flag: 'wx' })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
    const owner = 'this process already. Wait until it is closed, load @sdk/database only once'
    throw new Error(refusal(directory, owner), { cause: error })
  }
}

function refusal(directory: string, owner: string): string {
  return (
    `The embedded database in ${directory} is open in ${owner}, or use a directory of its own ` +
    '(pglite://other/dir) or a PostgreSQL server (DATABASE_URL=postgres://…).'
  )
}

/** Pid and start time, because after a crash the same pid may belong to somebody else. */
function nameOf(pid: number): string {
  return `${pid}-${readStat(pid)?.startTime ?? 0}`
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
