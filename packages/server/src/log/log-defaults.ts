/** JSON for machines, or lines for people. */
export type LogFormat = 'json' | 'pretty'

/** The least that is worth a line. */
export type LogLevel = (typeof LOG_LEVELS)[number]

const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const

interface LogEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Does a person read standard output? */
  readonly isTerminal: boolean
}

/** For people where a person looks and it is not production; colours unless they said no: https://no-color.org */
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

/** Is a line of this level worth writing? */
export function isLevelEnabled(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least)
}

function readEnvironment(): LogEnvironment {
  // There are platforms without `process`.
  const { process } = globalThis as { process?: { env?: LogEnvironment['env']; stdout?: { isTTY?: boolean } } }
  return { env: process?.env ?? {}, isTerminal: process?.stdout?.isTTY === true }
}
