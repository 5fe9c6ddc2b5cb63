import type { Log } from '@sdk/server'
import { retryDelay } from '@sdk/server/engine'
import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'
import { type ScriptCommands, SCRIPTS } from './scripts.ts'

/**
 * A connection to Redis with the scripts as commands. A cluster has the same commands, but uses several connections.
 */
export type RedisConnection = Redis & ScriptCommands

interface RedisConnectionOptions {
  readonly address: RedisAddress
  /** The purpose of the connection. It appears in the log and in Redis's client list. */
  readonly role: 'publish' | 'subscribe'
  /** The timeout for a call, in ms. */
  readonly timeout: number
  readonly log: Log
}

/**
 * Opens a connection that reconnects automatically. While it is disconnected, calls fail immediately. No command is
 * sent twice.
 */
export function openRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { role, log } = options
  const redis = connect(options)
  let isAway = false
  // Without a listener, ioredis prints every error. One line per disconnect and one per reconnect are enough.
  redis.on('error', (error) => {
    if (!isAway) log.warn('Redis is unreachable', { connection: role, error: error.message })
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) log.info('Redis is reachable again', { connection: role })
    isAway = false
  })
  return redis
}

function connect(options: RedisConnectionOptions): RedisConnection {
  const { address, role } = options
  const { kind, hosts, master } = address
  const redisOptions = toRedisOptions(options)
  if (kind === 'sentinel')
    return new Redis({
      ...redisOptions,
      sentinels: [...hosts],
      name: master ?? '',
      sentinelRetryStrategy: retryDelay,
      sentinelCommandTimeout: options.timeout,
    }) as RedisConnection
  if (kind === 'cluster' && role === 'publish') return connectCluster(options)
  const redis: Redis = new Redis({
    ...redisOptions,
    ...hosts[0],
    retryStrategy(attempt: number) {
      // Any node will do: in a cluster, each node delivers the messages that were published on any node.
      Object.assign(redis.options, hosts[attempt % hosts.length])
      return retryDelay(attempt)
    },
  })
  return redis as RedisConnection
}

function connectCluster(options: RedisConnectionOptions): RedisConnection {
  const cluster = new Cluster([...options.address.hosts], {
    scripts: SCRIPTS,
    redisOptions: toRedisOptions(options),
    enableOfflineQueue: true, // required, since nodes connect on demand; if none is reachable, the sender rejects
    retryDelayOnFailover: 0, // any other value would resend commands that may have been executed
    clusterRetryStrategy: retryDelay,
    slotsRefreshTimeout: options.timeout,
    slotsRefreshInterval: 5_000,
  })
  return cluster as unknown as RedisConnection
}

/**
 * Returns the ioredis options. The return type is inferred, since the constructors do not accept everything that
 * `RedisOptions` allows.
 */
function toRedisOptions({ address, role, timeout }: RedisConnectionOptions) {
  const { username, password, db, family, isTls } = address
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(db !== undefined && { db }),
    ...(family !== undefined && { family }),
    ...(isTls && { tls: {} }),
    connectionName: `sdk-${role}`,
    scripts: SCRIPTS,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    autoResubscribe: false, // not needed, since subscriptions resubscribe and read missed messages themselves
    retryStrategy: retryDelay,
    connectTimeout: timeout,
    commandTimeout: timeout,
    socketTimeout: timeout,
    disconnectTimeout: 500, // ioredis waits this long even without a connection
    keepAlive: 10_000, // detects a dead connection within about 20 s
  }
}
