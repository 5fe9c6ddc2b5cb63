import { ApiError } from '@sdk/server'
import type { RedisConnection } from './redis-connection.ts'
import { watchServerRun } from './server-run.ts'

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
