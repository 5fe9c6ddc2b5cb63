import { Failure } from './failure.ts'

const FIX_BY_ERRNO: Readonly<Record<string, string>> = {
  EACCES: 'see who owns it with ls -l, and give yourself the right to read and write it',
  EPERM: 'see who owns it with ls -l, and give yourself the right to read and write it',
  EROFS: 'it lies on a disk that is read-only: work in another folder',
  ENOSPC: 'the disk is full (df -h shows which): make room and try again',
  EDQUOT: 'your disk quota is used up: make room and try again',
  EMFILE: 'too many files are open: raise the limit, as in ulimit -n 8192',
  ENFILE: 'too many files are open on this machine: end some programs',
  EISDIR: 'there is a folder where a file should be: move it away',
  ELOOP: 'a link leads to itself: ls -l shows where it leads',
  EEXIST: 'there is a file where a folder should be: move it away',
  ENOTDIR: 'there is a file where a folder should be: move it away',
}

/** Linux reports ENOSPC also where too many files are watched. */
const WATCHER_LIMIT_FIX = 'let more files be watched: sysctl fs.inotify.max_user_watches=524288'

/** The codes by their numbers, as the bundler reports only the number. */
const ERRNO_NAMES: Readonly<Record<string, string>> = {
  1: 'EPERM',
  13: 'EACCES',
  24: 'EMFILE',
  28: 'ENOSPC',
  30: 'EROFS',
}

type SystemErrorInfo = Readonly<Record<'message' | 'fix', string>>

/** The failure where the system refused to read or write a file; null for everything else. */
export function systemFailure(error: unknown): Failure | null {
  if (!(error instanceof Error)) return null
  const info = 'syscall' in error ? parseNodeError(error.message) : parseBundlerError(error.message)
  return info && new Failure(info.message, { code: 'SYSTEM_REFUSED', fix: info.fix, cause: error })
}

/** The same of the text of an error, where that is all there is. */
export function parseSystemError(text: string): SystemErrorInfo | null {
  return parseNodeError(text) ?? parseBundlerError(text)
}

/** `ENOSPC: no space left on device, write` */
function parseNodeError(text: string): SystemErrorInfo | null {
  const [, message = '', code = ''] = /^(?:Error: )?((E[A-Z]+): .+)$/.exec(text) ?? []
  return toSystemErrorInfo(message, code)
}

/** The bundler reports the number, many lines below the failed operation. */
function parseBundlerError(text: string): SystemErrorInfo | null {
  const [, what = '', why = '', number = ''] = /^(.+)\s+Caused by:\s+(.+) \(os error (\d+)\)$/m.exec(text) ?? []
  return toSystemErrorInfo(`${what}: ${why}`, ERRNO_NAMES[number] ?? '')
}

function toSystemErrorInfo(message: string, code: string): SystemErrorInfo | null {
  const fix = Object.hasOwn(FIX_BY_ERRNO, code) ? FIX_BY_ERRNO[code] : undefined
  return fix === undefined ? null : { message, fix: /, watch(?: |$)/.test(message) ? WATCHER_LIMIT_FIX : fix }
}
