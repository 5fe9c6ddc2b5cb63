import type { Log } from '@sdk/server'
import { retryDelay } from '@sdk/server/engine'
import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'
import { type ScriptCommands, SCRIPTS } from './scripts.ts'

/** A connection to Redis that knows our scripts; that to a cluster is many, and has the same commands. */
export type RedisConnection = Redis & ScriptCommands

interface RedisConnectionOptions {
  readonly address: RedisAddress
  /** What it is for: its name in the log and in Redis's list of clients. */
  readonly role: 'publish' | 'subscribe'
  /** Milliseconds a call may take. */
  readonly timeout: number
  readonly log: Log
}

/** Opens a connection that comes back by itself. While it is away calls fail at once, and nothing is sent twice. */
export function openRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { role, log } = options
  const redis = connect(options)
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
    }) as RedisConnection
  if (kind === 'cluster' && role === 'publish') return connectCluster(options)
  const redis: Redis = new Redis({
    ...redisOptions,
    ...hosts[0],
    retryStrategy(attempt: number) {
      // Each node of a cluster tells what was published on any.
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
    enableOfflineQueue: true, // nodes are connected to when they are needed; while all are away, the sender refuses
    retryDelayOnFailover: 0, // it would send again what may have been done
    clusterRetryStrategy: retryDelay,
    slotsRefreshTimeout: options.timeout,
    slotsRefreshInterval: 5_000,
  })
  return cluster as unknown as RedisConnection
}

/** Not typed: what ioredis calls the type of its options is more than its constructors take. */
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
    autoResubscribe: false, // the subscriptions do, and read what they missed
    retryStrategy: retryDelay,
    connectTimeout: timeout,
    commandTimeout: timeout,
    socketTimeout: timeout,
    disconnectTimeout: 500, // it is waited for also when there is nothing to end
    keepAlive: 10_000, // finds a silent connection dead in about 20 s
  }
}
