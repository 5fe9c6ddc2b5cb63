import type { EngineNames } from '@sdk/server'
import type { Cluster, Redis } from 'ioredis'
import type { RedisConnection } from './redis-connection.ts'
import type { Sender } from './sender.ts'

/**
 * Creates the functions for claiming names. A process claims a name by subscribing to a channel without messages, since
 * Redis counts the subscribers of each channel. The connection `redis` is used only for channels.
 */
export function createClaimedNames(redis: RedisConnection, { send }: Sender, prefix = 'sdk'): EngineNames {
  const claimed = new Set<string>()
  const channelOf = (name: string): string => `{${prefix}:${name}}:held`
  // A failure is ignored, since the next connection subscribes again.
  const subscribe = (name: string): void => void redis.subscribe(channelOf(name)).catch(() => undefined)
  redis.on('ready', () => claimed.forEach(subscribe))

  return {
    claim(name) {
      claimed.add(name)
      if (redis.status === 'ready') subscribe(name)
    },
    async isClaimed(name) {
      const counts = await send(name.length, (asked) => Promise.all(nodesOf(asked).map((node) => count(node, name))))
      return counts.some((listeners) => listeners > 0)
    },
  }

  async function count(node: Redis, name: string): Promise<number> {
    const [, listeners] = await node.pubsub('NUMSUB', channelOf(name))
    return Number(listeners)
  }
}

/** Returns all nodes, since each node in a cluster counts only its own connections. */
function nodesOf(redis: RedisConnection): Redis[] {
  return redis.isCluster ? (redis as unknown as Cluster).nodes('all') : [redis]
}
