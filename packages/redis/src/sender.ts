import { ApiError } from '@sdk/server'
import type { Cluster, Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.ts'

/** A sender that waits for a connection before it sends commands to Redis. */
export interface Sender {
  /** Sends a command of the given size in characters. The command receives the run id of the server. */
  send<T>(size: number, command: (redis: RedisConnection, run: string) => Promise<T>): Promise<T>
  /** Waits for pending replies, then closes the connection. */
  close(): Promise<void>
}

/** The limit for the total size of the commands that wait for Redis, in characters. */
const MAX_WAITING_SIZE = 64 * 1_048_576

/** Creates a sender on a connection. */
export function createSender(redis: RedisConnection): Sender {
  const run = watchServerRun(redis)
  let waiting = 0
  let isClosed = false

  return {
    async send(size, command) {
      if (isClosed) throw new ApiError('SERVICE_UNAVAILABLE', 'The engine is closed')
      if (waiting > MAX_WAITING_SIZE)
        throw new ApiError('SERVICE_UNAVAILABLE', 'Too many commands are waiting for Redis')
      waiting += size
      try {
        // All commands await the same promise, which preserves their order.
        return await command(redis, await run.read())
      } catch (cause) {
        const isRefusal = cause instanceof Error && cause.name === 'ReplyError'
        const message = isRefusal ? 'Redis rejected the command' : 'Redis is unreachable'
        throw new ApiError('SERVICE_UNAVAILABLE', message, { cause })
      } finally {
        waiting -= size
      }
    },
    async close() {
      if (redis.status === 'ready')
        await run
          .read()
          .then(() => redis.quit())
          .catch(() => undefined) // the connection is closed below in any case
      isClosed = true
      run.end()
      redis.disconnect()
    },
  }
}

/** Tracks the run id of the Redis server that a connection is connected to. */
function watchServerRun(redis: Redis) {
  let run = defer()
  let isOpen = false
  let isAway = false // whether the last connection attempt failed
  let lastError = new Error('the connection to Redis was closed')
  let isEnded = false

  const read = redis.isCluster ? createClusterRun(redis as unknown as Cluster, renew) : () => readRunId(redis)
  redis.on('error', (error) => {
    lastError = error
    // Without a reachable sentinel, there is no connection whose end would be reported.
    if (!isOpen) fail()
  })
  redis.on('ready', () => {
    if (isAway) run = defer()
    isAway = false
    isOpen = true
    void read().then(run.resolve)
  })
  redis.on('close', () => {
    if (!isOpen) return fail()
    isOpen = false
    run.reject(lastError)
    if (!isEnded) run = defer()
  })
  return {
    /**
     * Resolves with the run id. Waits for one connection attempt; if that fails, rejects until there is a connection.
     */
    read: () => run.promise,
    /** Rejects all calls from now on, since the connection is closed. */
    end() {
      isEnded = true
      run.reject(new Error('the engine is closed'))
    },
  }

  /** Rejects all calls until there is a connection: waiting for each attempt would delay every request. */
  function fail(): void {
    isAway = true
    run.reject(lastError)
  }

  /** Reads the run id again, since the master may have changed. Pending callers receive the new result. */
  function renew(): void {
    if (redis.status !== 'ready' || isEnded) return
    const before = run
    run = defer()
    void read().then(run.resolve)
    run.promise.then(before.resolve, before.reject)
  }
}

/**
 * Returns a function that reads a cluster's run id, which combines the run ids of all masters: a master that was
 * replaced or restarted may have older data.
 */
function createClusterRun(cluster: Cluster, renew: () => void): () => Promise<string> {
  const known = new Map<string, string>()
  cluster.on('+node', (node: Redis) => node.on('ready', renew))
  cluster.on('-node', renew)
  return async () => {
    const masters = cluster.nodes('master')
    const ids = masters.map(async (node) => {
      const key = `${node.options.host}:${node.options.port}`
      const id = await readRunId(node)
      // A master that does not respond is considered unchanged.
      if (id !== '') known.set(key, id.slice(0, 8))
      return known.get(key) ?? ''
    })
    return (await Promise.all(ids)).toSorted((a, b) => (a < b ? -1 : 1)).join('')
  }
}

/** Reads the run id. It is empty if `INFO` is forbidden, which only matters if the server has lost data. */
async function readRunId(redis: Redis): Promise<string> {
  const info = await redis.info('server').catch(() => '')
  return /^run_id:(\w+)/m.exec(info)?.[1] ?? ''
}

function defer() {
  let resolve: (run: string) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<string>((yes, no) => {
    resolve = yes
    reject = no
  })
  promise.catch(() => undefined) // prevents an unhandled rejection if no caller is waiting
  return { promise, resolve, reject }
}
