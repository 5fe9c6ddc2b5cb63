import { ApiError } from '@sdk/server'
import type { Cluster, Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.ts'

/** Sends commands to Redis as soon as there is a connection. */
export interface Sender {
  /** Sends a command with the given number of characters. The command receives the id of the server's run. */
  send<T>(size: number, command: (redis: RedisConnection, run: string) => Promise<T>): Promise<T>
  /** Waits for pending replies, then ends the connection. */
  close(): Promise<void>
}

/** The limit of characters that wait for Redis. */
const MAX_WAITING_SIZE = 64 * 1_048_576

/** Creates a sender over a connection. */
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
        // All commands wait for the same promise, which keeps their order.
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
          .catch(() => undefined) // about to disconnect
      isClosed = true
      run.end()
      redis.disconnect()
    },
  }
}

/** Tracks the run of the Redis server that a connection is connected to. */
function watchServerRun(redis: Redis) {
  let run = defer()
  let isOpen = false
  let isAway = false // the last attempt to connect failed
  let lastError = new Error('the connection to Redis was closed')
  let isEnded = false

  const read = redis.isCluster ? createClusterRun(redis as unknown as Cluster, renew) : () => readRunId(redis)
  redis.on('error', (error) => (lastError = error))
  redis.on('ready', () => {
    if (isAway) run = defer()
    isAway = false
    isOpen = true
    void read().then(run.resolve)
  })
  redis.on('close', () => {
    run.reject(lastError)
    // Waiting for every attempt would delay every request.
    isAway = !isOpen
    if (isOpen && !isEnded) run = defer()
    isOpen = false
  })
  return {
    /** Returns the id of the run. Waits for one attempt to connect; after it fails, rejects until there is a connection. */
    read: () => run.promise,
    /** Rejects from now on: the connection has ended. */
    end() {
      isEnded = true
      run.reject(new Error('the engine is closed'))
    },
  }

  /** Reads the run again, since the master may have changed. Pending callers receive the new result. */
  function renew(): void {
    if (redis.status !== 'ready' || isEnded) return
    const before = run
    run = defer()
    void read().then(run.resolve)
    run.promise.then(before.resolve, before.reject)
  }
}

/**
 * Returns a function that reads the run id of a cluster. It consists of the run ids of all masters: a master that
 * changed or restarted may have older data.
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
      // A master that does not answer counts as unchanged.
      if (id !== '') known.set(key, id.slice(0, 8))
      return known.get(key) ?? ''
    })
    return (await Promise.all(ids)).toSorted((a, b) => (a < b ? -1 : 1)).join('')
  }
}

/** Reads the run id; empty if `INFO` is forbidden, which matters only if a server has lost data. */
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
  promise.catch(() => undefined) // possibly unobserved
  return { promise, resolve, reject }
}
