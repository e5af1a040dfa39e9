/*
 * What must happen in one step in Redis, as Lua. A script runs alone: between its first command and its last no
 * other client is heard, which is what makes the comparisons below safe with any number of control planes.
 */

/**
 * Appends a delta if it starts at the head. Trims the log to its limits and moves the head. Then notifies data planes.
 *
 * KEYS head, log, logSize, identity; ARGV expected head, new head, stream id, previous seq, delta, channel, most
 * deltas, most bytes, expected identity, new identity. Returns 1, or 0 when the head is another one, or has the
 * expected numbers in another history.
 */
export const APPEND = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
local identity = redis.call('GET', KEYS[4]) or ''
local isOfHead = string.sub(identity, 1, #ARGV[1] + 1) == ARGV[1] .. ' '
if isOfHead and string.sub(identity, 1, #ARGV[9]) ~= ARGV[9] then return 0 end
redis.call('XADD', KEYS[2], ARGV[3], 'previousSeq', ARGV[4], 'delta', ARGV[5])
redis.call('HINCRBY', KEYS[3], 'newDeltas', 1)
redis.call('HINCRBY', KEYS[3], 'newBytes', #ARGV[5])
local bytes = redis.call('HINCRBY', KEYS[3], 'bytes', #ARGV[5])
local count = redis.call('XLEN', KEYS[2])
while count > 1 and (count > tonumber(ARGV[7]) or bytes > tonumber(ARGV[8])) do
  local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', KEYS[2], oldest[1])
  bytes = redis.call('HINCRBY', KEYS[3], 'bytes', -#oldest[2][4])
  count = count - 1
end
redis.call('SET', KEYS[1], ARGV[2])
redis.call('SET', KEYS[4], ARGV[10])
redis.call('PUBLISH', ARGV[6], ARGV[2])
return 1
`;

/**
 * Makes a complete snapshot current. The chunks of the previous one expire after its last readers are done. A snapshot
 * can replace everything, if the head is still the expected one. Or it can join the log of its epoch, if the deltas of
 * the log continue it.
 *
 * KEYS head, log, logSize, snapshot, refusedSnapshot, identity, unfinishedSnapshot; ARGV 'replace' or 'join', expected
 * head, new head, epoch, seq, id, number of chunks, manifest, prefix of chunk keys, seconds the old chunks stay,
 * channel, new identity. Returns 1, or 0 when another write was first or a chunk is gone; then nothing is changed, and
 * its chunks expire.
 */
export const SWITCH_SNAPSHOT = `
local head = string.match(redis.call('GET', KEYS[1]) or '', '^%d+%.%d+$') or ''
local before = redis.call('HMGET', KEYS[4], 'epoch', 'seq', 'id', 'chunks')
if ARGV[1] == 'replace' then
  if head ~= ARGV[2] then return 0 end
elseif string.sub(head, 1, #ARGV[4] + 1) ~= ARGV[4] .. '.' then
  return 0
elseif before[1] == ARGV[4] and tonumber(before[2]) > tonumber(ARGV[5]) then
  return 0
end
for index = 0, tonumber(ARGV[7]) - 1 do
  if redis.call('EXISTS', ARGV[9] .. ARGV[6] .. ':' .. index) == 0 then return 0 end
end
for index = 0, tonumber(ARGV[7]) - 1 do
  redis.call('PERSIST', ARGV[9] .. ARGV[6] .. ':' .. index)
end
if before[3] and before[3] ~= ARGV[6] then
  for index = 0, tonumber(before[4]) - 1 do
    redis.call('EXPIRE', ARGV[9] .. before[3] .. ':' .. index, ARGV[10])
  end
end
redis.call('HSET', KEYS[4], 'epoch', ARGV[4], 'seq', ARGV[5], 'id', ARGV[6], 'chunks', ARGV[7], 'manifest', ARGV[8])
redis.call('DEL', KEYS[5], KEYS[7])
redis.call('HDEL', KEYS[3], 'newDeltas', 'newBytes')
if ARGV[1] == 'replace' then
  redis.call('DEL', KEYS[2], KEYS[3])
  redis.call('SET', KEYS[1], ARGV[3])
  redis.call('SET', KEYS[6], ARGV[12])
end
redis.call('PUBLISH', ARGV[11], ARGV[3])
return 1
`;

/**
 * Appends chunks to the current snapshot, which makes it newer.
 *
 * KEYS snapshot, logSize; ARGV its id, its number of chunks, new seq, new manifest, prefix of chunk keys, then the
 * chunks. Returns 1, or 0 when the snapshot is another one or has changed; then nothing is changed.
 */
export const LENGTHEN_SNAPSHOT = `
local known = redis.call('HMGET', KEYS[1], 'id', 'chunks')
if known[1] ~= ARGV[1] or known[2] ~= ARGV[2] then return 0 end
local before = tonumber(ARGV[2])
for index = 6, #ARGV do
  redis.call('SET', ARGV[5] .. ARGV[1] .. ':' .. (before + index - 6), ARGV[index])
end
redis.call('HSET', KEYS[1], 'seq', ARGV[3], 'chunks', before + #ARGV - 5, 'manifest', ARGV[4])
redis.call('HDEL', KEYS[2], 'newDeltas', 'newBytes')
return 1
`;

/**
 * Returns whether a new snapshot is needed.
 *
 * KEYS head, log, logSize, snapshot, refusedSnapshot; ARGV most new deltas, most new bytes. Returns why, or ''.
 */
export const SNAPSHOT_FAULT = `
local snapshot = redis.call('HMGET', KEYS[4], 'epoch', 'seq', 'id')
if not snapshot[3] then return 'missing' end
if redis.call('GET', KEYS[5]) == snapshot[3] then return 'refused by a data plane' end
local head = redis.call('GET', KEYS[1]) or ''
local oldest = redis.call('XRANGE', KEYS[2], '-', '+', 'COUNT', 1)[1]
local joins = oldest and tonumber(oldest[2][2]) <= tonumber(snapshot[2])
local isHead = head == snapshot[1] .. '.' .. snapshot[2]
local epoch, seq = string.match(head, '^(%d+)%.(%d+)$')
local isAhead = epoch == snapshot[1] and tonumber(seq) < tonumber(snapshot[2])
if not joins and not isHead and not isAhead then return 'the log does not reach back to it' end
local size = redis.call('HMGET', KEYS[3], 'newDeltas', 'newBytes')
if tonumber(size[1] or 0) > tonumber(ARGV[1]) or tonumber(size[2] or 0) > tonumber(ARGV[2]) then return 'old' end
return ''
`;

/** KEYS leader; ARGV own id, milliseconds. Takes or prolongs the lease. Returns 1 while it is held. */
export const HOLD_LEASE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`;

/** KEYS leader; ARGV own id. Releases the lease if it is still held. */
export const RELEASE_LEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`;
