import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CLOSE, ERROR_STATUS, type DetailCode } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { EXIT } from '../failure.ts'
import { EXPLAIN_CODES, findExplainPage, EXPLAIN_PAGES } from './pages.ts'

/** Codes for an invalid command line or an invalid project. */
const COMMAND_CODES = [
  'USAGE',
  'NO_PROJECT',
  'INVALID_PACKAGE_JSON',
  'NOTHING_TO_RUN',
  'INVALID_PATH',
  'PLUG_AND_PLAY',
  'NO_BUILD',
  'LOAD_FAILED',
  'INVALID_CONFIG',
  'INVALID_ENV_FILE',
  'INVALID_PORT',
  'INVALID_WORKERS',
  'PORT_TAKEN',
  'ALREADY_RUNNING',
  'CANNOT_LISTEN',
  'INVALID_ENVIRONMENT',
  'SYSTEM_REFUSED',
  'NO_DATABASE',
  'SQL_FAILED',
  'MIGRATION_FAILED',
  'MIGRATION_EDITED',
  'NOTHING_TO_WRITE',
  'INVALID_NAME',
  'FILE_EXISTS',
  'FILE_MISSING',
  'PACKAGE_MISSING',
  'INVALID_INPUT',
  'UNKNOWN_USER',
  'NO_SERVER',
  'CALL_FAILED',
  'INTERRUPTED',
  'WORKBENCH_IN_BUILD',
  'NOT_FOR_WORKERS',
  'WORKERS_NOT_SHARED',
] as const

/** Codes that only `sdk doctor` reports. */
const DOCTOR_CODES = [
  'NODE_TOO_OLD',
  'DUPLICATE_PACKAGE',
  'VERSIONS_DIFFER',
  'WEB_MISSING',
  'FILE_NOT_READ',
  'PROVIDER_MISSING',
  'TSCONFIG_MISSING',
  'TSCONFIG_OPTION',
  'ROUTE_TYPES_STALE',
  'INPUT_UNBOUNDED',
  'LIVE_TRIGGERS_MISSING',
  'SDK_NOT_IGNORED',
  'AUTH_SECRET_MISSING',
  'AUTH_SECRET_WEAK',
  'AUTH_URL_MISSING',
  'DATABASE_URL_MISSING',
  'DATABASE_URL_INVALID',
  'DATABASE_UNREACHABLE',
  'REDIS_NOT_INSTALLED',
  'REDIS_UNREACHABLE',
  'ROLLDOWN_UNPINNED',
] as const

/** Codes of responses outside the protocol's table. */
const OTHER_CODES = [
  'INVALID_EMAIL_OR_PASSWORD',
  'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
  'FIELD_TAKEN',
  'EMAIL_NOT_VERIFIED',
  'PASSWORD_TOO_SHORT',
  'INVALID_TOKEN',
  'INVALID_ORIGIN',
  'INVALID_CALLBACK_URL',
  'EXPECTATION_FAILED',
] as const

/** They exist only as types, so the compiler keeps this list complete. */
const DETAILS: Record<DetailCode, true> = {
  REQUIRED: true,
  INVALID_TYPE: true,
  INVALID_FORMAT: true,
  INVALID_VALUE: true,
  TOO_SHORT: true,
  TOO_LONG: true,
  TOO_SMALL: true,
  TOO_LARGE: true,
  UNKNOWN_FIELD: true,
  DUPLICATE_FIELD: true,
  READ_ONLY: true,
  INVALID_UNICODE: true,
  UNKNOWN_PARAMETER: true,
  DUPLICATE_PARAMETER: true,
  INVALID_CURSOR: true,
  INVALID_SORT: true,
  NOT_UNIQUE: true,
  REFERENCED: true,
  QUOTA_EXCEEDED: true,
}

describe('EXPLAIN_PAGES', () => {
  it.each([
    ['Failed calls', Object.keys(ERROR_STATUS)],
    ['Error details', Object.keys(DETAILS)],
    ['Sign-in and other errors', OTHER_CODES],
    ['Closed sockets', Object.values(CLOSE).map(String)],
    ['Commands', COMMAND_CODES],
    ['sdk doctor', DOCTOR_CODES],
    ['Type errors', ['TS7022']],
    ['Exit codes', Object.values(EXIT).map(String)],
  ])('lists exactly the known codes under "%s"', (title, codes) => {
    expect(Object.keys(EXPLAIN_PAGES[title] ?? {}).toSorted()).toEqual([...codes].toSorted())
  })

  it('has a page for every code that a package of the SDK throws', () => {
    const thrown = sources().flatMap((text) =>
      Array.from(text.matchAll(/\b(?:ApiError|refuse)\('([A-Z_]+)'/g), ([, code]) => code),
    )
    expect(thrown.length).toBeGreaterThan(50)
    expect([...new Set(thrown)].filter((code) => findExplainPage(code ?? '') === null)).toEqual([])
  })

  it('has one complete page per code', () => {
    expect(new Set(EXPLAIN_CODES).size).toBe(EXPLAIN_CODES.length)
    for (const code of EXPLAIN_CODES) {
      const { means = '', why = '', fix = '', example = '' } = findExplainPage(code) ?? {}
      expect([means, why, fix], code).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/^\S.*\.$/)))
      expect(example, code).not.toBe('')
    }
  })
})

describe('findExplainPage', () => {
  it('finds the page for an error of the operating system', () => {
    expect(findExplainPage('EADDRINUSE')?.code).toBe('PORT_TAKEN')
    expect(findExplainPage('EADDRNOTAVAIL')?.code).toBe('CANNOT_LISTEN')
    expect(findExplainPage('enospc')?.code).toBe('SYSTEM_REFUSED')
    expect(findExplainPage('constructor')).toBeNull()
  })

  it('finds a code in any letter case', () => {
    expect(findExplainPage('load-failed')?.code).toBe('LOAD_FAILED')
    expect(findExplainPage('4401')?.means).toContain('session')
    expect(findExplainPage('constructor')).toBeNull()
  })
})

/** Reads the sources of the packages, without tests. */
function sources(): string[] {
  const packages = join(import.meta.dirname, '../../..')
  return readdirSync(packages).flatMap((name) => {
    const folder = join(packages, name, 'src')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const own = files.filter((file) => /\.tsx?$/.test(file) && !/\.(?:test|test-d)\./.test(file))
    // Examples in comments have custom codes.
    return own.map((file) => readFileSync(join(folder, file), 'utf8').replaceAll(/^ *\*.*$/gm, ''))
  })
}
