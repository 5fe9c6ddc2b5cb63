// The stream scripts take two keys. KEYS[1] is the head, a hash with the epoch, offset and run. KEYS[2] is a Redis
// stream of entries, whose ids are positions; its name is also the name of the channel.

// ARGV: the run, and the number of seconds to keep the head.
// Each run of the server starts a new epoch: a restarted server may have older data and would assign offsets twice.
const OPEN_STREAM = `
local known = redis.call('HMGET', KEYS[1], 'run', 'epoch', 'offset')
local epoch, offset = known[2], known[3]
if not epoch or known[1] ~= ARGV[1] then
  local now = redis.call('TIME')
  local ms = now[1] * 1000 + math.floor(now[2] / 1000)
  if epoch then ms = math.max(ms, epoch + 1) else redis.call('DEL', KEYS[2]) end
  epoch, offset = string.format('%.0f', ms), 0
  redis.call('HSET', KEYS[1], 'run', ARGV[1], 'epoch', epoch, 'offset', offset)
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
`

// ARGV: the arguments of OPEN_STREAM, the data, the number of entries to keep, and the number of seconds to keep them.
const PUBLISH = `
${OPEN_STREAM}
local id = epoch .. '-' .. redis.call('HINCRBY', KEYS[1], 'offset', 1)
redis.call('XADD', KEYS[2], 'MAXLEN', '~', ARGV[4], id, 'd', ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[5])
redis.call('PUBLISH', KEYS[2], id .. ' ' .. ARGV[3])
return id
`

// ARGV: the position to read from, and the maximum number of entries. Returns the head, then id, data, id, data …
const READ_STREAM = `
local head = redis.call('HMGET', KEYS[1], 'epoch', 'offset')
if not head[1] then return { '0-0' } end
local reply = { head[1] .. '-' .. head[2] }
for _, entry in ipairs(redis.call('XRANGE', KEYS[2], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
end
return reply
`

// ARGV: the run, epoch and offset to read from, and the maximum number of entries.
// Returns id, data, id, data …, or nil if an entry is missing.
const HISTORY = `
local head = redis.call('HMGET', KEYS[1], 'run', 'epoch', 'offset')
if head[1] ~= ARGV[1] or head[2] ~= ARGV[2] then return false end
local behind = head[3] - ARGV[3]
if behind < 0 then return false end
if behind == 0 then return {} end
local after = ARGV[2] .. '-' .. ARGV[3]
local entries = redis.call('XRANGE', KEYS[2], '(' .. after, '+', 'COUNT', ARGV[4])
local following = ARGV[2] .. '-' .. string.format('%.0f', ARGV[3] + 1)
if not entries[1] or entries[1][1] ~= following then return false end
local reply = {}
for _, entry in ipairs(entries) do
  reply[#reply + 1] = entry[1]
  reply[#reply + 1] = entry[2][2]
end
return reply
`

// The next two scripts take the key of a value.

// ARGV: the integer to add, and the number of milliseconds to keep a new value (0: no expiry). Returns the sum as a
// string, or nil if the value is not an integer or if Lua and JavaScript cannot represent the sum exactly.
const INCREMENT = `
local known = redis.call('GET', KEYS[1])
if known and not string.match(known, '^%-?%d+$') then return false end
local sum = tonumber(known or '0') + tonumber(ARGV[1])
if sum > 9007199254740991 or sum < -9007199254740991 then return false end
local text = string.format('%.0f', sum)
if known then redis.call('SET', KEYS[1], text, 'KEEPTTL')
elseif ARGV[2] == '0' then redis.call('SET', KEYS[1], text)
else redis.call('SET', KEYS[1], text, 'PX', ARGV[2]) end
return text
`

// ARGV: the expected and the new value, each either '' for no value or '=' followed by a string, and the number of
// milliseconds to keep the new value (0: the expiry is unchanged).
const COMPARE_AND_SET = `
local known = redis.call('GET', KEYS[1])
if (known and '=' .. known or '') ~= ARGV[1] then return 0 end
local text = string.sub(ARGV[2], 2)
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
elseif ARGV[3] == '0' then redis.call('SET', KEYS[1], text, 'KEEPTTL')
else redis.call('SET', KEYS[1], text, 'PX', ARGV[3]) end
return 1
`

// KEYS[1] is a sorted set of an owner's values. Each member contains the expiry, size and name of a value; its score is
// the sum of the sizes of all earlier values. Sums only grow, so expired values need not be subtracted.
// ARGV: the name of the new value, its size, the number of milliseconds to keep it, and the limit for the total size.
// Returns the names of the values to delete.
const ADD_OWNED = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local newest = redis.call('ZREVRANGE', KEYS[1], 0, 0, 'WITHSCORES')
local before = 0
if newest[1] then before = newest[2] + string.match(newest[1], '^%d+ (%d+) ') end
local member = string.format('%.0f %s %s', now + ARGV[3], ARGV[2], ARGV[1])
redis.call('ZADD', KEYS[1], string.format('%.0f', before), member)
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
local over, gone = string.format('(%.0f', before + ARGV[2] - ARGV[4]), {}
for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', over)) do
  local ends, name = string.match(old, '^(%d+) %d+ (.*)')
  -- After a value has expired, its name may be in use for a different value.
  if tonumber(ends) > now then gone[#gone + 1] = name end
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', over)
return gone
`

// KEYS[1] is the number of a session's last handled message. ARGV: the new number, and the number of seconds to keep
// it. A late call does not lower the number.
const ADVANCE = `
local known = tonumber(redis.call('GET', KEYS[1]) or '-1')
if known < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
else redis.call('EXPIRE', KEYS[1], ARGV[2]) end
`

// KEYS[1] stores the time when the quota will be full again, in ms on the server's clock. ARGV: the time in ms that an
// empty quota takes to refill, the time in ms per unit, and the number of units to take (negative to return units).
// Returns the number of granted units and the time in ms until the quota is full again.
const GRANT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local room, step, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local at = math.max(tonumber(redis.call('GET', KEYS[1]) or '0'), now)
local units = wanted
if wanted > 0 then units = math.max(0, math.min(wanted, math.floor((room - (at - now)) / step + 1e-9))) end
at = math.max(now, at + units * step)
if at > now then redis.call('SET', KEYS[1], string.format('%.3f', at), 'PX', math.ceil(at - now) + 1)
else redis.call('DEL', KEYS[1]) end
return { units, string.format('%.3f', at - now) }
`

// The presence scripts take the two keys of a room. KEYS[1] is a hash of its members: each field is the name of a
// process followed by an id, and each value is the time of entry, a space and the member's data. KEYS[2] is a sorted
// set of the processes, whose scores are the times at which their leases expire on the server's clock. ARGV[1] is the
// name of the process.

const READ_CLOCK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`

// ARGV[2]: the lease in milliseconds.
const LEASE = `
redis.call('ZADD', KEYS[2], string.format('%.0f', now + ARGV[2]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ARGV[2])
`

// ARGV: the process, the lease, 'all' if the process has no other members, and then id, data, id, data …
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

// Returns 0 if the lease or the members have expired.
const RENEW = `
if not redis.call('ZSCORE', KEYS[2], ARGV[1]) or redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
${READ_CLOCK}
${LEASE}
return 1
`

// ARGV: the process, 'all' if it has no members left, and then id, id …
const LEAVE = `
for index = 3, #ARGV do redis.call('HDEL', KEYS[1], ARGV[1] .. ARGV[index]) end
if ARGV[2] == 'all' then redis.call('ZREM', KEYS[2], ARGV[1]) end
`

// Returns field, value, field, value …, without the members of processes whose lease has expired.
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
type ScriptArguments = readonly [head: string, entries: string, ...args: (string | number)[]]

/** The commands that the scripts add to a connection. */
export interface ScriptCommands {
  sdkOpen(...args: ScriptArguments): Promise<string>
  sdkPublish(...args: ScriptArguments): Promise<string>
  sdkRead(...args: ScriptArguments): Promise<string[]>
  sdkHistory(...args: ScriptArguments): Promise<string[] | null>
  sdkIncrement(key: string, by: number, ms: number): Promise<string | null>
  sdkCompareAndSet(key: string, from: string, to: string, ms: number): Promise<number>
  sdkOwn(key: string, ...args: [name: string, size: number, ms: number, limit: number]): Promise<string[]>
  sdkGrant(key: string, room: number, step: number, wanted: number): Promise<[number, string]>
  sdkAdvance(key: string, handled: number, seconds: number): Promise<null>
  sdkEnter(...args: RoomArguments): Promise<null>
  sdkRenew(...args: RoomArguments): Promise<number>
  sdkLeave(...args: RoomArguments): Promise<null>
  sdkList(...args: RoomArguments): Promise<string[]>
}

/** The definitions of the scripts, which ioredis adds to a connection. */
export const SCRIPTS: Record<keyof ScriptCommands, { lua: string; numberOfKeys: number }> = {
  sdkOpen: { lua: `${OPEN_STREAM} return epoch .. '-' .. offset`, numberOfKeys: 2 },
  sdkPublish: { lua: PUBLISH, numberOfKeys: 2 },
  sdkRead: { lua: READ_STREAM, numberOfKeys: 2 },
  sdkHistory: { lua: HISTORY, numberOfKeys: 2 },
  sdkIncrement: { lua: INCREMENT, numberOfKeys: 1 },
  sdkCompareAndSet: { lua: COMPARE_AND_SET, numberOfKeys: 1 },
  sdkOwn: { lua: ADD_OWNED, numberOfKeys: 1 },
  sdkGrant: { lua: GRANT, numberOfKeys: 1 },
  sdkAdvance: { lua: ADVANCE, numberOfKeys: 1 },
  sdkEnter: { lua: ENTER, numberOfKeys: 2 },
  sdkRenew: { lua: RENEW, numberOfKeys: 2 },
  sdkLeave: { lua: LEAVE, numberOfKeys: 2 },
  sdkList: { lua: LIST_MEMBERS, numberOfKeys: 2 },
}
