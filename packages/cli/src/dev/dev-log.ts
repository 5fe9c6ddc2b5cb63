import { sep } from 'node:path'
import type { Log, LogFields } from '@sdk/server'
import { wrapLog } from '@sdk/server/node'
import { findHint } from '../log-hints.ts'
import { withoutRunnerNames, withSpaces } from '../problem.ts'
import { parseSystemError } from '../system-failure.ts'

/** The message for a failed dependency optimization. Vite does not retry it, and pages that wait for it never load. */
const UNPREPARED = 'cannot optimize the dependencies of the web app: fix the error and restart sdk dev'

/** Creates the log for `sdk dev`. It shows only stack frames in project files, unless `LOG_LEVEL` is `debug`. */
export function createDevLog(log: Log, root: string): Log {
  const visible = (fields: LogFields | undefined): LogFields | undefined =>
    fields === undefined || process.env['LOG_LEVEL'] === 'debug' ? fields : keepProjectFrames(fields, root)
  return wrapLog(log, {
    ...log,
    warn: (message, fields) => log.warn(message, addHint(message, visible(fields))),
    error: (message, fields) => log.error(...addSystemFix(message, addHint(message, visible(fields)))),
  })
}

function keepProjectFrames(fields: LogFields, root: string): LogFields {
  const { stack, cause, error, ...rest } = fields
  return {
    ...rest,
    ...(error !== undefined && { error: typeof error === 'string' ? withoutRunnerNames(error) : error }),
    ...(typeof stack === 'string' && filterStack(stack, root)),
    ...(isLogFields(cause) && { cause: keepProjectFrames(cause, root) }),
  }
}

/**
 * Removes stack frames outside the project. If none remain, the stack is omitted, unless the error message has several
 * lines, for example SQL for the user to copy.
 */
function filterStack(stack: string, root: string): LogFields {
  const isFrame = (line: string): boolean => /^\s+at /.test(line)
  const isOwn = (line: string): boolean => line.includes(root + sep) && !line.includes(`${sep}node_modules${sep}`)
  const lines = withSpaces(withoutRunnerNames(stack), root)
    .split('\n')
    .filter((line) => !isFrame(line) || isOwn(line))
  return lines.length > 1 ? { stack: lines.join('\n') } : {}
}

function addHint(message: string, fields: LogFields | undefined): LogFields | undefined {
  const hint = findHint(message, fields)
  return hint === undefined ? fields : { ...fields, hint }
}

/** Adds the fix to a system error. The stack of a bundler error is removed. */
function addSystemFix(message: string, fields: LogFields = {}): [string, LogFields] {
  const text = String(fields['error'])
  const refusal = parseSystemError(text)
  if (refusal === null) return [message, fields]
  if (!text.includes('\n')) return [message, { ...fields, hint: refusal.fix }]
  return [UNPREPARED, { error: refusal.message, hint: refusal.fix }]
}

function isLogFields(value: unknown): value is LogFields {
  return typeof value === 'object' && value !== null
}
