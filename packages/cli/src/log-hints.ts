import type { Log, LogFields } from '@sdk/server'
import { wrapLog } from '@sdk/server/node'

const LOG_HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /too many clients|remaining connection slots/,
    'raise max_connections in PostgreSQL, or run fewer processes: each one opens up to 10 connections, and 5 more if PostgreSQL is the engine',
  ],
  [
    /database cannot be reached .*(?:timeout exceeded when trying to connect|no response within)/,
    'all connections are in use, or a statement is waiting for a lock: check with select * from pg_stat_activity',
  ],
  [
    /database cannot be reached/,
    'start the database, or correct the host and port in DATABASE_URL; sdk doctor checks the connection',
  ],
  [/password authentication failed|role ".*" does not exist/, 'correct the user and password in DATABASE_URL'],
  [/database ".*" does not exist/, 'create the database with createdb, or correct its name in DATABASE_URL'],
  [/server does not support SSL/, 'remove sslmode from DATABASE_URL, or enable SSL on the server'],
  [/no pg_hba\.conf entry/, 'use SSL (sslmode=verify-full in DATABASE_URL), or allow this address in pg_hba.conf'],
  [
    /self-signed certificate|unable to (?:verify|get) [\w ]*certificate/,
    "trust the server's certificate authority: NODE_EXTRA_CA_CERTS=ca.pem",
  ],
  [
    /permission denied for schema/,
    'allow the user in DATABASE_URL to create tables: grant create on schema public to NAME',
  ],
  [/Redis rejected .*OOM/, 'Redis is out of memory: raise maxmemory, and check which keys use the most memory'],
  [/Redis rejected .*(?:NOAUTH|WRONGPASS)/, 'correct the user and password in REDIS_URL'],
  [/Redis is unreachable/, 'start Redis, or unset REDIS_URL: a single process does not need it'],
]

/** Returns a hint on how to fix the error in a log line, or undefined if there is none. */
export function findHint(message: string, fields: LogFields | undefined): string | undefined {
  const text = [message, ...errorMessages(fields)].join(' ')
  return LOG_HINTS.find(([pattern]) => pattern.test(text))?.[1]
}

/** Returns the messages of an error and its causes. */
function errorMessages(fields: LogFields | undefined): string[] {
  const { error, cause } = fields ?? {}
  const causes = typeof cause === 'object' && cause !== null ? errorMessages({ ...cause }) : []
  return typeof error === 'string' ? [error, ...causes] : causes
}

/** Wraps a log to add hints to known errors. Their stacks are omitted, since they contain only SDK code. */
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
