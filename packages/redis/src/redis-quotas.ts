import type { QuotaStore } from '@sdk/server/engine'
import { callAll, type ScriptCall } from './pipeline.ts'
import type { Sender } from './sender.ts'

/** Quotas in Redis, by its clock. */
export function createRedisQuotas({ send }: Pick<Sender, 'send'>, prefix = 'sdk'): QuotaStore {
  return {
    async grant(requests) {
      const calls = requests.map(({ key, policy: { name, quota, window }, wanted }): ScriptCall => {
        const room = window * 1000
        return ['sdkGrant', `{${prefix}:${name} ${key}}:quota`, room, room / quota, wanted]
      })
      const replies = (await send(0, (redis) => callAll(redis, calls))) as [number, string][]
      return replies.map(([granted, fullIn]) => ({ granted, fullIn: Number(fullIn) }))
    },
  }
}
