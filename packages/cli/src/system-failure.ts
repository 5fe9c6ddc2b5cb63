import { Failure } from './failure.ts'

/** The fixes of the system errors that `SYSTEM_REFUSED` covers. */
export const FIX_BY_ERRNO: Readonly<Record<string, string>> = {
  EACCES: 'check its owner with ls -l, and give your user read and write access',
  EPERM: 'check its owner with ls -l, and give your user read and write access',
  EROFS: 'the disk is read-only: use another folder',
  ENOSPC: 'the disk is full (see df -h): free some space and retry',
  EDQUOT: 'your disk quota is exceeded: free some space and retry',
  EMFILE: 'too many files are open: raise the limit, for example with ulimit -n 8192',
  ENFILE: 'too many files are open on this machine: close some programs',
  EISDIR: 'a folder exists where a file is expected: move it',
  ELOOP: 'symbolic links form a loop: ls -l shows their targets',
  EEXIST: 'a file exists where a folder is expected: move it',
  ENOTDIR: 'a file exists where a folder is expected: move it',
}

/** The fix for watcher errors: Linux also reports ENOSPC if too many files are watched. */
const WATCHER_LIMIT_FIX = 'raise the limit for watched files: sysctl fs.inotify.max_user_watches=524288'

/** Error codes by number, since the bundler reports only the number. */
const ERRNO_NAMES: Readonly<Record<string, string>> = {
  1: 'EPERM',
  13: 'EACCES',
  24: 'EMFILE',
  28: 'ENOSPC',
  30: 'EROFS',
}

type SystemErrorInfo = Readonly<Record<'message' | 'fix', string>>

/** Converts a system error to a `Failure`. Returns null for other errors. */
export function systemFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const info = 'syscall' in error ? parseNodeError(error.message) : parseBundlerError(error.message)
  return info && new Failure(info.message, { code: 'SYSTEM_REFUSED', fix: info.fix, cause: error })
}

/** Parses the message of a system error. Returns null for other messages. */
export function parseSystemError(text: string): SystemErrorInfo | null {
  return parseNodeError(text) ?? parseBundlerError(text)
}

/** Parses a Node.js error, such as `ENOSPC: no space left on device, write`. */
function parseNodeError(text: string): SystemErrorInfo | null {
  const [, message = '', code = ''] = /^(?:Error: )?((E[A-Z]+): .+)$/.exec(text) ?? []
  return toSystemErrorInfo(message, code)
}

/** Parses an error from the bundler, which prints the error number many lines below the failed operation. */
function parseBundlerError(text: string): SystemErrorInfo | null {
  const [, what = '', why = '', number = ''] = /^(.+)\s+Caused by:\s+(.+) \(os error (\d+)\)$/m.exec(text) ?? []
  return toSystemErrorInfo(`${what}: ${why}`, ERRNO_NAMES[number] ?? '')
}

function toSystemErrorInfo(message: string, code: string): SystemErrorInfo | null {
  const fix = Object.hasOwn(FIX_BY_ERRNO, code) ? FIX_BY_ERRNO[code] : undefined
  return fix === undefined ? null : { message, fix: /, watch(?: |$)/.test(message) ? WATCHER_LIMIT_FIX : fix }
}
