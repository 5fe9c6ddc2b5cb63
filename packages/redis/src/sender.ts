import { ApiError } from '@sdk/server'
import type { Cluster, Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.ts'

/** Sends commands to Redis as soon as there is a connection. */
export interface Sender {
  /** Sends a command of so many characters. It hears which run of the server it goes to. */
  send<T>(size: number, command: (redis: RedisConnection, run: string) => Promise<T>): Promise<T>
  /** Waits for the answers to what was sent, then ends the connection. */
  close(): Promise<void>
}

/** Characters that may wait for Redis. */
const MAX_WAITING_SIZE = 64 * 1_048_576

/** Sends over a connection. */
export function createSender(redis: RedisConnection): Sender {
  const run = watchServerRun(redis)
  let waiting = 0
  let isClosed = false

  return {
    async send(size, command) {
      if (isClosed) throw new ApiError('SERVICE_UNAVAILABLE', 'The engine is closed')
      if (waiting > MAX_WAITING_SIZE) throw new ApiError('SERVICE_UNAVAILABLE', 'Too much waits for Redis')
      waiting += size
      try {
        // Everyone waits for the same promise, which keeps commands in the order they came in.
        return await command(redis, await run.read())
      } catch (cause) {
        const isRefusal = cause instanceof Error && cause.name === 'ReplyError'
        throw new ApiError('SERVICE_UNAVAILABLE', isRefusal ? 'Redis refused it' : 'Redis is out of reach', { cause })
      } finally {
        waiting -= size
      }
    },
    async close() {
      if (redis.status === 'ready')
        await run
          .read()
          .then(() => redis.quit())
          .catch(() => undefined) // as good as gone
      isClosed = true
      run.end()
      redis.disconnect()
    },
  }
}

/** Watches which run of the Redis server a connection speaks to. */
function watchServerRun(redis: Redis) {
  let run = defer()
  let isOpen = false // there is a connection
  let isAway = false // the last attempt to connect failed
  let lastError = new Error('the connection to Redis closed')
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
    // Who waited for each attempt would make every request wait.
    isAway = !isOpen
    if (isOpen && !isEnded) run = defer()
    isOpen = false
  })
  return {
    /** The id of the run. One attempt to connect is waited for; after it failed, this rejects until there is a connection. */
    read: () => run.promise,
    /** There will be no connection any more. */
    end() {
      isEnded = true
      run.reject(new Error('the engine is closed'))
    },
  }

  /** Reads the run again, as a master may be another one. Those who wait already get the new answer. */
  function renew(): void {
    if (redis.status !== 'ready' || isEnded) return
    const before = run
    run = defer()
    void read().then(run.resolve)
    run.promise.then(before.resolve, before.reject)
  }
}

/** A cluster runs as its masters do: where one is another, or came back, it may have older data. */
function createClusterRun(cluster: Cluster, renew: () => void): () => Promise<string> {
  const known = new Map<string, string>()
  cluster.on('+node', (node: Redis) => node.on('ready', renew))
  cluster.on('-node', renew)
  return async () => {
    const masters = cluster.nodes('master')
    const ids = masters.map(async (node) => {
      const key = `${node.options.host}:${node.options.port}`
      const id = await readRunId(node)
      // One that does not answer counts as unchanged.
      if (id !== '') known.set(key, id.slice(0, 8))
      return known.get(key) ?? ''
    })
    return (await Promise.all(ids)).toSorted((a, b) => (a < b ? -1 : 1)).join('')
  }
}

/** Empty where `INFO` is forbidden. That matters only when a server has lost data. */
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
  promise.catch(() => undefined) // it may be that nobody waits
  return { promise, resolve, reject }
}
