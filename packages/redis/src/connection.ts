import type { Log } from '@sdk/server'
import { Redis } from 'ioredis'
import { type ScriptCommands, SCRIPTS } from './scripts.ts'

/** A connection to Redis that knows our scripts. */
export type Connection = Redis & ScriptCommands

/** What a connection is made of. */
export interface ConnectionParts {
  readonly url: string
  /** What it is for: its name in the log and in Redis's list of clients. */
  readonly role: 'publish' | 'subscribe'
  /** Milliseconds a call may take. */
  readonly timeout: number
  readonly log: Log
}

/** Opens a connection that comes back by itself. While it is away calls fail at once, and nothing is sent twice. */
export function openConnection({ url, role, timeout, log }: ConnectionParts): Connection {
  const redis = new Redis(url, {
    connectionName: `sdk-${role}`,
    scripts: SCRIPTS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false, // the subscriptions do, and read what they missed
    retryStrategy: (attempt) => 50 + Math.random() * Math.min(1_000, 50 * 2 ** attempt),
    connectTimeout: timeout,
    commandTimeout: timeout,
    socketTimeout: timeout,
    disconnectTimeout: 500, // it is waited for also when there is nothing to end
    keepAlive: 10_000, // finds a silent connection dead in about 20 s
  }) as Connection
  let isAway = false
  // Without a listener ioredis prints every error; a line when it goes and one when it is back are enough.
  redis.on('error', (error) => {
    if (!isAway) log.warn('Redis is out of reach', { connection: role, error: error.message })
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) log.info('Redis is back', { connection: role })
    isAway = false
  })
  return redis
}
