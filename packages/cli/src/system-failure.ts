import { Failure } from './failure.ts'

/** What the system refuses, and what to do about it. */
const FIXES: Readonly<Record<string, string>> = {
  EACCES: 'see whose it is with ls -l, and let yourself read and write it',
  EPERM: 'see whose it is with ls -l, and let yourself read and write it',
  EROFS: 'it lies on a disk that is read-only: work in another folder',
  ENOSPC: 'the disk is full: df -h tells which. Make room and try again',
  EDQUOT: 'your share of the disk is full: make room and try again',
  EMFILE: 'too many files are open: raise the limit, as in ulimit -n 8192',
  ENFILE: 'too many files are open on this machine: end some programs',
  EISDIR: 'there is a folder where a file should be: move it away',
  EEXIST: 'there is a file where a folder should be: move it away',
  ENOTDIR: 'there is a file where a folder should be: move it away',
}

/** Linux says so, too, where too many files are watched. */
const WATCHERS = 'let more files be watched: sysctl fs.inotify.max_user_watches=524288'

/** The numbers of those that the bundler tells by their number. */
const NUMBERS: Readonly<Record<string, string>> = { 1: 'EPERM', 13: 'EACCES', 24: 'EMFILE', 28: 'ENOSPC', 30: 'EROFS' }

/** The failure where the system refused to read or write a file; null for everything else. */
export function systemFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const { code, message } = 'syscall' in error ? toRefusal(error) : bundlerRefusal(error.message)
  const fix = FIXES[code]
  if (fix === undefined) return null
  const isWatching = message.includes('watch')
  return new Failure(message, { code: 'SYSTEM_REFUSED', fix: isWatching ? WATCHERS : fix, cause: error })
}

interface Refusal {
  readonly code: string
  readonly message: string
}

function toRefusal(error: Error): Refusal {
  return { code: 'code' in error ? String(error.code) : '', message: error.message }
}

function bundlerRefusal(text: string): Refusal {
  const [, what = '', why = '', number = ''] = /^(.+)\s+Caused by:\s+(.+) \(os error (\d+)\)$/m.exec(text) ?? []
  return { code: NUMBERS[number] ?? '', message: `${what}: ${why}` }
}
