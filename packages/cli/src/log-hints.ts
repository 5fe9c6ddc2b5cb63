import type { Log, LogFields } from '@sdk/server'
import { wrapLog } from '@sdk/server/node'

const LOG_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /too many clients|remaining connection slots/,
    'raise max_connections of PostgreSQL, or run fewer processes: each has up to 10 connections, and 5 more where it is the engine',
  ],
  [
    /database cannot be reached .*(?:timeout exceeded when trying to connect|no answer within)/,
    'all connections are in use, or a statement waits for a lock: select * from pg_stat_activity shows for what',
  ],
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
    'give Node the certificate of the authority that signed it: NODE_EXTRA_CA_CERTS=ca.pem',
  ],
  [/permission denied for schema/, 'let the user of DATABASE_URL make tables: grant create on schema public to NAME'],
  [/Redis refused .*OOM/, 'Redis is full: raise its maxmemory, and look at what fills it'],
  [/Redis refused .*(?:NOAUTH|WRONGPASS)/, 'correct the user and the password in REDIS_URL'],
  [/Redis is out of reach/, 'start Redis, or leave REDIS_URL out: a single process needs none'],
]

/** Returns a fix for a log line; undefined where none is known. */
export function findHint(message: string, fields: LogFields | undefined): string | undefined {
  const text = [message, ...errorMessages(fields)].join(' ')
  return LOG_HINTS.find(([pattern]) => pattern.test(text))?.[1]
}

/** The messages of an error and of its causes, which tell why. */
function errorMessages(fields: LogFields | undefined): string[] {
  const { error, cause } = fields ?? {}
  const causes = typeof cause === 'object' && cause !== null ? errorMessages({ ...cause }) : []
  return typeof error === 'string' ? [error, ...causes] : causes
}

/** A log that adds what to do, where that is known. It then leaves out the stack, which is of our own code. */
export function hintingLog(log: Log): Log {
  return wrapLog(log, {
    ...log,
    warn: (message, fields) => log.warn(message, withHint(message, fields)),
    error: (message, fields) => log.error(message, withHint(message, fields)),
  })
}

function withHint(message: string, fields: LogFields | undefined): LogFields | undefined {
  const hint = findHint(message, fields)
  return hint === undefined ? fields : { ...omitStack(fields ?? {}), hint }
}

function omitStack(fields: LogFields): LogFields {
  const { cause } = fields
  const innerCause = typeof cause === 'object' && cause !== null ? { cause: omitStack({ ...cause }) } : {}
  const { stack: _, ...rest } = fields
  return { ...rest, ...innerCause }
}
