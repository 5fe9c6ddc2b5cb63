import type { Cluster, Redis } from 'ioredis'

/** Tells which run of the Redis server a connection speaks to. */
export interface ServerRun {
  /** The id of the run. One attempt to connect is waited for; after it failed, this rejects until there is a connection. */
  read(): Promise<string>
  /** There will be no connection any more. */
  end(): void
}

/** Watches a connection. */
export function watchServerRun(redis: Redis): ServerRun {
  let run = defer()
  /** Is there a connection? */
  let isOpen = false
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
    read: () => run.promise,
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

interface Deferred {
  readonly promise: Promise<string>
  readonly resolve: (run: string) => void
  readonly reject: (error: Error) => void
}

function defer(): Deferred {
  let resolve: Deferred['resolve'] = () => undefined
  let reject: Deferred['reject'] = () => undefined
  const promise = new Promise<string>((yes, no) => {
    resolve = yes
    reject = no
  })
  promise.catch(() => undefined) // it may be that nobody waits
  return { promise, resolve, reject }
}
