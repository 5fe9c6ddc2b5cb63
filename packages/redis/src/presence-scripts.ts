// These scripts take the two keys of a room: KEYS[1] its members, a hash whose fields are the name of a process and
// an id, and whose values are when they entered, a space and what is told of them; KEYS[2] the processes, in the order
// of the time their leases end, which is the server's. ARGV begins with the name of the process.

const READ_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

// ARGV[2]: milliseconds of a lease.
const LEASE = `
redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
`

// ARGV: process, lease, 'all' where the process has no other members, id, data, id, data …
const ENTER = `
${READ_CLOCK}
if ARGV[3] == 'all' then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if string.sub(field, 1, #ARGV[1]) == ARGV[1] then redis.call('HDEL', KEYS[1], field) end
  end
end
local stamp = string.format('%.0f ', now)
for index = 4, #ARGV, 2 do redis.call('HSET', KEYS[1], ARGV[1] .. ARGV[index], stamp .. ARGV[index + 1]) end
${LEASE}
`

// Answers 0 where the lease is gone, and the members with it.
const RENEW = `
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
${READ_CLOCK}
${LEASE}
return 1
`

// ARGV: process, 'all' where it has no members any more, id, id …
const LEAVE = `
for index = 3, #ARGV do redis.call('HDEL', KEYS[1], ARGV[1] .. ARGV[index]) end
if ARGV[2] == 'all' then redis.call('ZREM', KEYS[2], ARGV[1]) end
`

// Answers field, value, field, value …, without those whose process is gone.
const LIST_MEMBERS = `
${READ_CLOCK}
local limit = string.format('%.0f', now)
local ended, isEnded = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', limit), {}
for _, process in ipairs(ended) do isEnded[process] = true end
if #ended > 0 then
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if isEnded[string.sub(field, 1, #ARGV[1])] then redis.call('HDEL', KEYS[1], field) end
  end
  redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', limit)
end
return redis.call('HGETALL', KEYS[1])
`

type RoomArguments = readonly [members: string, leases: string, process: string, ...args: (string | number)[]]

/** The scripts of rooms as commands of a connection. */
export interface PresenceCommands {
  sdkEnter(...args: RoomArguments): Promise<null>
  sdkRenew(...args: RoomArguments): Promise<number>
  sdkLeave(...args: RoomArguments): Promise<null>
  sdkList(...args: RoomArguments): Promise<string[]>
}

/** How a connection learns them. */
export const PRESENCE_SCRIPTS: Record<keyof PresenceCommands, { lua: string; numberOfKeys: number }> = {
  sdkEnter: { lua: ENTER, numberOfKeys: 2 },
  sdkRenew: { lua: RENEW, numberOfKeys: 2 },
  sdkLeave: { lua: LEAVE, numberOfKeys: 2 },
  sdkList: { lua: LIST_MEMBERS, numberOfKeys: 2 },
}
