import type { Log, LogFields } from '@sdk/server'
import { inFrontOf } from '@sdk/server/node'

/** What helps where something outside of the project is the matter, by what is said of it. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /database cannot be reached/,
    'start the database, or correct host and port in DATABASE_URL. sdk doctor looks into it',
  ],
  [/password authentication failed|role ".*" does not exist/, 'correct the user and the password in DATABASE_URL'],
  [/database ".*" does not exist/, 'make the database with createdb, or correct its name in DATABASE_URL'],
  [/server does not support SSL/, 'leave sslmode out of DATABASE_URL, or switch SSL on in the server'],
  [/no pg_hba\.conf entry/, 'the server wants SSL (sslmode=verify-full in DATABASE_URL), or must let this address in'],
  [
    /self-signed certificate|unable to (?:verify|get) [\w ]*certificate/,
    'give Node the certificate of who signed it: NODE_EXTRA_CA_CERTS=ca.pem',
  ],
  [/permission denied for schema/, 'let the user of DATABASE_URL make tables: grant create on schema public to NAME'],
  [/Redis is out of reach/, 'start Redis, or leave REDIS_URL out: a single process needs none'],
]

/** What to do about this; undefined where nobody knows. */
export function hintOf(message: string, fields: LogFields | undefined): string | undefined {
  const error = fields?.['error']
  const text = typeof error === 'string' ? `${message} ${error}` : message
  return HINTS.find(([pattern]) => pattern.test(text))?.[1]
}

/** A log that says what to do where that is known, and then no stack, which would tell of our own code. */
export function hintingLog(log: Log): Log {
  return inFrontOf(log, {
    debug: (message, fields) => log.debug(message, fields),
    info: (message, fields) => log.info(message, fields),
    warn: (message, fields) => log.warn(message, hinted(message, fields)),
    error: (message, fields) => log.error(message, hinted(message, fields)),
  })
}

function hinted(message: string, fields: LogFields | undefined): LogFields | undefined {
  const hint = hintOf(message, fields)
  return hint === undefined ? fields : { ...withoutStack(fields ?? {}), hint }
}

function withoutStack(fields: LogFields): LogFields {
  const { cause } = fields
  const kept = typeof cause === 'object' && cause !== null ? { cause: withoutStack({ ...cause }) } : {}
  const { stack: _, ...rest } = fields
  return { ...rest, ...kept }
}
