/** What can be wrong with the way a command was called, or with a project. */
export const COMMAND_CODES = [
  'USAGE',
  'NO_PROJECT',
  'INVALID_PACKAGE_JSON',
  'NOTHING_TO_RUN',
  'NO_BUILD',
  'LOAD_FAILED',
  'INVALID_CONFIG',
  'INVALID_ENV_FILE',
  'INVALID_PORT',
  'PORT_TAKEN',
  'CANNOT_LISTEN',
  'INVALID_ENVIRONMENT',
  'SYSTEM_REFUSED',
  'NO_DATABASE',
  'SQL_FAILED',
  'INVALID_NAME',
  'FILE_EXISTS',
  'PACKAGE_MISSING',
  'INVALID_INPUT',
  'UNKNOWN_USER',
  'NO_SERVER',
  'CALL_FAILED',
  'INTERRUPTED',
  'WORKBENCH_IN_BUILD',
] as const

/** What only `sdk doctor` finds. */
export const DOCTOR_CODES = [
  'NODE_TOO_OLD',
  'DUPLICATE_PACKAGE',
  'VERSIONS_DIFFER',
  'WEB_MISSING',
  'PROVIDER_MISSING',
  'TSCONFIG_MISSING',
  'TSCONFIG_OPTION',
  'ROUTE_TYPES_STALE',
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

/** Codes of answers outside of the protocol's table. */
export const OTHER_CODES = [
  'INVALID_EMAIL_OR_PASSWORD',
  'USER_ALREADY_EXISTS_USE_ANOTHER_EMAIL',
  'EMAIL_NOT_VERIFIED',
  'PASSWORD_TOO_SHORT',
  'INVALID_TOKEN',
  'INVALID_ORIGIN',
  'INVALID_CALLBACK_URL',
  'EXPECTATION_FAILED',
] as const

/** A code of the command line; `sdk explain` has a page for each. */
export type CliCode = (typeof COMMAND_CODES)[number] | (typeof DOCTOR_CODES)[number]
