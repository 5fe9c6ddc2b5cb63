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
  level: LogLevel
  isColoured: boolean
} {
  const isProduction = env['NODE_ENV'] === 'production'
  const asked = env['LOG_LEVEL']?.trim().toLowerCase()
  const isForced = Boolean(env['FORCE_COLOR']) && env['FORCE_COLOR'] !== '0'
  return {
    format: isTerminal && !isProduction ? 'pretty' : 'json',
    level: LOG_LEVELS.find((level) => level === asked) ?? (isProduction ? 'info' : 'debug'),
    isColoured: !env['NO_COLOR'] && (isTerminal || isForced),
  }
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
