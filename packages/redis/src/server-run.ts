import type { Redis } from 'ioredis'

/** Tells which run of the Redis server a connection speaks to. */
export interface ServerRun {
  /** The id of the run, as soon as there is a connection; rejects when the next attempt to connect fails. */
  read(): Promise<string>
  /** There will be no connection any more. */
  end(): void
}

/** Watches a connection. */
export function watchServerRun(redis: Redis): ServerRun {
  let run = defer()
  let lastError = new Error('the connection to Redis closed')
  let isEnded = false

  redis.on('error', (error) => (lastError = error))
  redis.on('ready', () => void readRunId(redis).then(run.resolve))
  redis.on('close', () => {
    run.reject(lastError)
    if (!isEnded) run = defer()
  })
  return {
    read: () => run.promise,
    end() {
      isEnded = true
      run.reject(new Error('the engine is closed'))
    },
  }
}

/** Where `INFO` is forbidden the run stays unknown; only a server that lost data would tell the difference. */
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
