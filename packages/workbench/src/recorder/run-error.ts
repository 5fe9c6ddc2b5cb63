import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeFrame, toLogText } from '@sdk/server/node'
import type { RunError, RunFrame } from '../run.ts'
import type { Redactor } from './redact.ts'

const MAX_STACK_FRAMES = 50
const MAX_CAUSES = 5

/** The maximum lengths of an error message and a stack. Some messages contain an entire web page. */
const MAX_ERROR_MESSAGE = 8_192
const MAX_STACK = 20_000

/** Converts a thrown value to a `RunError`. Files under `root` count as the user's code. Never throws. */
export function toRunError(thrown: unknown, root: string, depth = 0): RunError {
  try {
    return readError(thrown, root, depth)
  } catch {
    return { ...EMPTY_ERROR, name: 'Error', message: 'the thrown value cannot be read' } // a getter or proxy threw
  }
}

/** Redacts the messages of an error and its causes, and the source lines around it. */
export function redactError(error: RunError, redactor: Redactor): RunError {
  const { message, codeFrame: lines, cause } = error
  return {
    ...error,
    message: redactor.text(message),
    codeFrame: redactor.text(lines),
    cause: cause === null ? null : redactError(cause, redactor),
  }
}

const EMPTY_ERROR: Omit<RunError, 'name' | 'message'> = { code: null, frames: [], codeFrame: '', cause: null }

function readError(thrown: unknown, root: string, depth: number): RunError {
  if (!(thrown instanceof Error)) return { ...EMPTY_ERROR, name: typeof thrown, message: thrownText(thrown) }
  const { name, message, cause }: { name: unknown; message: unknown; cause?: unknown } = thrown
  const frames = parseStack(stackOf(thrown), root)
  return {
    name: String(name),
    message: String(message).slice(0, MAX_ERROR_MESSAGE),
    code: apiErrorCode(thrown),
    frames,
    codeFrame: frameAround(frames, root),
    cause: cause === undefined || depth >= MAX_CAUSES ? null : toRunError(cause, root, depth + 1),
  }
}

function thrownText(thrown: unknown): string {
  return (typeof thrown === 'string' ? thrown : toLogText(thrown)).slice(0, MAX_ERROR_MESSAGE)
}

/** Returns whether a thrown value is an `ApiError` with which the server rejects a call, not an error of the server. */
export function isRejection(thrown: unknown): boolean {
  return (
    thrown instanceof Error && apiErrorCode(thrown) !== null && Number((thrown as { status?: unknown }).status) < 500
  )
}

/** Returns the code of an `ApiError`, which also has a status, or null for any other error. */
function apiErrorCode(error: Error): string | null {
  const { code, status } = error as { code?: unknown; status?: unknown }
  return typeof code === 'string' && typeof status === 'number' ? code : null
}

/** Returns the stack without the message, since lines in the message can look like frames. */
function stackOf({ stack, message }: Error): string {
  if (typeof stack !== 'string') return ''
  const at = stack.indexOf(message)
  return (at === -1 ? stack : stack.slice(at + message.length)).slice(0, MAX_STACK)
}

function parseStack(stack: string, root: string): RunFrame[] {
  const frames: RunFrame[] = []
  for (const [, name = '', location = '', line, column] of stack.matchAll(STACK_FRAME)) {
    if (frames.length >= MAX_STACK_FRAMES) break
    // These names stand for an anonymous function in a module that the dev server evaluates.
    const known = name === 'eval' || name === '<anonymous>' ? '' : name
    frames.push({ ...toFrameFile(location, root), name: known, line: Number(line), column: Number(column) })
  }
  return frames
}

const STACK_FRAME = /^[ \t]*at (?:async )?(?:(.*?) \()?((?:file:\/\/|node:|\/|[A-Z]:)[^\n]*?):(\d+):(\d+)\)?$/gm

function toFrameFile(location: string, root: string): Pick<RunFrame, 'file' | 'isForeign'> {
  const found = toFilePath(location).replace(/\?.*$/, '')
  const path = root.includes(' ') ? found.replaceAll('%20', ' ') : found // Vite encodes spaces
  const isInside = path.startsWith(root + sep)
  const isForeign = !isInside || path.includes(`${sep}node_modules${sep}`)
  return { file: isInside ? relative(root, path) : path, isForeign }
}

function toFilePath(location: string): string {
  try {
    return location.startsWith('file:') ? fileURLToPath(location) : location
  } catch {
    return location // not a file URL
  }
}

function frameAround(frames: readonly RunFrame[], root: string): string {
  const own = frames.find(({ isForeign }) => !isForeign)
  if (own === undefined) return ''
  try {
    return codeFrame(readFileSync(join(root, own.file), 'utf8'), own, 4)
  } catch {
    return '' // the file no longer exists
  }
}
