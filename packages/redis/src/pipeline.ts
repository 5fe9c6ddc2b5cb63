import type { RedisConnection } from './redis-connection.ts'
import type { ScriptCommands } from './scripts.ts'

/** A script with its arguments. */
export type ScriptCall = readonly [name: keyof ScriptCommands, ...args: (string | number)[]]

/** Calls scripts in one round trip. Rejects if one of them fails. */
export async function callAll(redis: RedisConnection, calls: readonly ScriptCall[]): Promise<unknown[]> {
  // A pipeline goes to one node; the keys of these scripts are on several.
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
