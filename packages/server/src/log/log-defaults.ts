import { reportEnvError } from '../platform/env-error.ts'

/** The format of log lines: JSON for machines, or readable text. */
export type LogFormat = 'json' | 'pretty'

/** The minimum level to log. */
export type LogLevel = (typeof LOG_LEVELS)[number]

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

interface LogEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean
}

/**
 * Returns the defaults: readable lines on a terminal outside production, otherwise JSON. Colors follow
 * https://no-color.org.
 */
export function logDefaults({ env, isTerminal }: LogEnvironment = readEnvironment()): {
  format: LogFormat
  isColoured: boolean
} {
  const isForced = Boolean(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0'
  return {
    format: isTerminal && !isInProduction(env) ? 'pretty' : 'json',
    isColoured: !env['NO_COLOR'] && (isTerminal || isForced),
  }
}

/** Returns the level in `LOG_LEVEL`, or the default. Reports an unknown level as an invalid environment variable. */
export function defaultLogLevel({ env }: Pick<LogEnvironment, 'env'> = readEnvironment()): LogLevel {
  const text = env['LOG_LEVEL']?.trim() ?? ''
  const fallback = isInProduction(env) ? 'info' : 'debug'
  if (text === '') return fallback
  const level = findLogLevel(text.toLowerCase())
  if (level !== undefined) return level
  const problem = `must be ${LEVEL_NAMES}, got ${JSON.stringify(text)}`
  const purpose = 'it is the lowest level that is logged'
  return reportEnvError({ name: 'LOG_LEVEL', problem, purpose, example: 'LOG_LEVEL=info' }, fallback)
}

/** Throws a `TypeError` if `level` is not a level, for example because it was read from a binding. */
export function assertLogLevel(level: LogLevel): LogLevel {
  if (findLogLevel(level) !== undefined) return level
  throw new TypeError(`the log level must be ${LEVEL_NAMES}, got ${JSON.stringify(level)}`)
}

const LEVEL_NAMES = `${LOG_LEVELS.slice(0, -1).join(', ')} or ${LOG_LEVELS.at(-1)}`

function findLogLevel(text: string): LogLevel | undefined {
  return LOG_LEVELS.find((level) => level === text)
}

function isInProduction(env: LogEnvironment['env']): boolean {
  return env['NODE_ENV'] === 'production'
}

/** Returns whether a line at `level` is logged if `least` is the minimum level. */
export function isLevelEnabled(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}

function readEnvironment(): LogEnvironment {
  // Some platforms have no `process`.
  const { process } = globalThis as { process?: { env?: LogEnvironment['env']; stdout?: { isTTY?: boolean } } }
  return { env: process?.env ?? {}, isTerminal: process?.stdout?.isTTY === true }
}
