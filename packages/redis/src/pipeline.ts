import type { RedisConnection } from './redis-connection.ts'
import type { ScriptCommands } from './scripts.ts'

/** A call to a script: its name and arguments. */
export type ScriptCall = readonly [name: keyof ScriptCommands, ...args: (string | number)[]]

/** Calls scripts in one round trip. Rejects if any of them fails. */
export async function callAll(redis: RedisConnection, calls: readonly ScriptCall[]): Promise<unknown[]> {
  // A pipeline is sent to a single node, but the keys of these scripts may be on several nodes.
  if (redis.isCluster) return Promise.all(calls.map((call) => callOne(redis, call)))
  const replies = (await redis.pipeline(calls.map((call) => [...call])).exec()) ?? []
  return replies.map(([error, reply]) => {
    if (error !== null) throw error
    return reply
  })
}

function callOne(redis: RedisConnection, [name, ...args]: ScriptCall): Promise<unknown> {
  return (redis[name] as (...all: (string | number)[]) => Promise<unknown>)(...args)
}
