import type { Log } from '@sdk/server'
import { retryDelay } from '@sdk/server/engine'
import { Cluster, Redis } from 'ioredis'
import type { RedisAddress } from './redis-address.ts'
import { type ScriptCommands, SCRIPTS } from './scripts.ts'

/** A connection to Redis with the scripts as commands. A cluster has several connections behind the same commands. */
export type RedisConnection = Redis & ScriptCommands

interface RedisConnectionOptions {
  readonly address: RedisAddress
  /** The purpose of the connection: its name in the log and in Redis's list of clients. */
  readonly role: 'publish' | 'subscribe'
  /** The time limit of a call in milliseconds. */
  readonly timeout: number
  readonly log: Log
}

/** Opens a connection that reconnects by itself. While it is disconnected, calls fail immediately, and no command is sent twice. */
export function openRedisConnection(options: RedisConnectionOptions): RedisConnection {
  const { role, log } = options
  const redis = connect(options)
  let isAway = false
  // Without a listener ioredis prints every error; one line on disconnect and one on reconnect are enough.
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
    }) as RedisConnection
  if (kind === 'cluster' && role === 'publish') return connectCluster(options)
  const redis: Redis = new Redis({
    ...redisOptions,
    ...hosts[0],
    retryStrategy(attempt: number) {
      // Each node of a cluster delivers messages that were published on any node.
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
    enableOfflineQueue: true, // connects to a node when it is needed; while all are unreachable, the sender rejects
    retryDelayOnFailover: 0, // would resend commands that may have been executed
    clusterRetryStrategy: retryDelay,
    slotsRefreshTimeout: options.timeout,
    slotsRefreshInterval: 5_000,
  })
  return cluster as unknown as RedisConnection
}

/** Returns untyped options: the options type of ioredis is wider than its constructors accept. */
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
    autoResubscribe: false, // the subscriptions resubscribe, and read the messages they missed
    retryStrategy: retryDelay,
    connectTimeout: timeout,
    commandTimeout: timeout,
    socketTimeout: timeout,
    disconnectTimeout: 500, // awaited even without a connection
    keepAlive: 10_000, // detects a dead connection within about 20 s
  }
}
