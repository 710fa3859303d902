import { READ_LOG_METADATA_LUA, READ_REDIS_TIME_LUA } from './lua-functions.js';

/**
 * Lua function that ends a poll of an event queue. It notifies the process that is named in the poll's token
 * (`process:number`). The process `except` is not notified. `reason` is ` gone` if the queue was removed, otherwise
 * empty.
 */
const NOTIFY_ENDED_POLL_PROCESS_LUA = `
local function endPoll(token, prefix, id, except, reason)
  if not token or token == '' then return end
  local process = string.match(token, '^[^:]+')
  if process ~= except then redis.call('PUBLISH', prefix .. process, 'end ' .. id .. ' ' .. token .. reason) end
end
local function forget(root, prefix, id)
  endPoll(redis.call('HGET', root .. ':q:' .. id, 'token'), prefix, id, '', ' gone')
  redis.call('DEL', root .. ':q:' .. id)
  for _, set in ipairs({'cursors', 'due', 'owners', 'gone', 'goneOwners'}) do
    redis.call('ZREM', root .. ':' .. set, id)
  end
end
`;

/**
 * Lua functions for `owners`, a sorted set of the event queues in `due` whose score is a hash of the owner. Until
 * `indexOwners` has run, `owners` may lack queues that a process of an earlier version has recorded. It may also
 * contain queues that such a process has removed.
 */
const EVENT_QUEUE_OWNER_INDEX_LUA = `
local function ownerScore(owner) return text(tonumber(string.sub(redis.sha1hex(owner), 1, 13), 16)) end
local function indexOwners(root, limit)
  for _, id in ipairs(redis.call('ZDIFF', 2, root .. ':owners', root .. ':due')) do
    redis.call('ZREM', root .. ':owners', id)
  end
  local missing = redis.call('ZDIFF', 2, root .. ':due', root .. ':owners')
  local count = math.min(#missing, limit)
  for i = 1, count do
    local owner = redis.call('HGET', root .. ':q:' .. missing[i], 'owner')
    if owner then
      redis.call('ZADD', root .. ':owners', ownerScore(owner), missing[i])
    else
      redis.call('ZREM', root .. ':due', missing[i])
      redis.call('ZREM', root .. ':cursors', missing[i])
    end
  end
  return count
end
`;

/**
 * Lua function that turns a live event queue into a tombstone, which its client may still continue. The queue's state
 * becomes `gone`, and its id moves from `due` and `owners` to `gone` and `goneOwners`. The cursor of the queue remains,
 * so that trimming does not remove later log entries. An owner has at most `most` tombstones; the oldest tombstones are
 * deleted. Requires {@link EVENT_QUEUE_OWNER_INDEX_LUA}.
 */
const TURN_QUEUE_INTO_TOMBSTONE_LUA = `
local function retain(root, prefix, id, endsAt, most)
  local queue = root .. ':q:' .. id
  local q = redis.call('HMGET', queue, 'token', 'owner')
  endPoll(q[1], prefix, id, '', ' gone')
  redis.call('HSET', queue, 'state', 'gone', 'token', '')
  redis.call('ZREM', root .. ':due', id)
  redis.call('ZREM', root .. ':owners', id)
  local score = ownerScore(q[2])
  redis.call('ZADD', root .. ':gone', endsAt, id)
  redis.call('ZADD', root .. ':goneOwners', score, id)
  local ids = redis.call('ZRANGEBYSCORE', root .. ':goneOwners', score, score)
  local excess = #ids - most
  if excess <= 0 then return end
  local ends = {}
  for _, one in ipairs(ids) do ends[one] = tonumber(redis.call('ZSCORE', root .. ':gone', one) or 0) end
  table.sort(ids, function(a, b)
    if ends[a] ~= ends[b] then return ends[a] < ends[b] end
    return a < b
  end)
  for i = 1, excess do forget(root, prefix, ids[i]) end
end
`;

/**
 * Lua function that records an event queue whose registration is unfinished. The argument `keys` contains the Redis
 * keys meta, queue, cursors, due and owners. Requires {@link EVENT_QUEUE_OWNER_INDEX_LUA}.
 */
const RECORD_UNFINISHED_EVENT_QUEUE_LUA = `
local function recordQueue(keys, id, cursor, endsAt, fields)
  redis.call('DEL', keys[2])
  redis.call('HSET', keys[2], 'state', 'registering', 'token', '', unpack(fields))
  redis.call('ZADD', keys[3], text(cursor), id)
  redis.call('ZADD', keys[4], endsAt, id)
  redis.call('ZADD', keys[5], ownerScore(redis.call('HGET', keys[2], 'owner')), id)
end
`;

/** Lua scripts that read and write event queues. Each script has the form of the scripts in `redisScripts`. */
export const eventQueueLuaScripts = {
  /**
   * Records an event queue whose registration is unfinished (step 2 of a registration). KEYS: meta queue cursors due
   * owners. ARGV: id graceMs, then field value ...
   */
  record: {
    numberOfKeys: 5,
    lua: `${READ_LOG_METADATA_LUA}${READ_REDIS_TIME_LUA}${EVENT_QUEUE_OWNER_INDEX_LUA}${RECORD_UNFINISHED_EVENT_QUEUE_LUA}
local _, last = meta(KEYS[1])
recordQueue(KEYS, ARGV[1], last, now + tonumber(ARGV[2]), {unpack(ARGV, 3)})
return 'OK'`,
  },

  /**
   * Records an event queue that continues an earlier (known) queue, if the owner may continue that queue
   * (docs/contract/event-log.md 4). The cursor of the new queue is the client's position in the known queue. KEYS: meta
   * queue cursors due owners knownQueue gone. ARGV: id graceMs knownId lastEventId idsPerUnit, then field value ...
   * Returns OK and the fixed properties of the known queue.
   */
  resume: {
    numberOfKeys: 7,
    lua: `${READ_LOG_METADATA_LUA}${READ_REDIS_TIME_LUA}${EVENT_QUEUE_OWNER_INDEX_LUA}${RECORD_UNFINISHED_EVENT_QUEUE_LUA}
local epoch, last, floor = meta(KEYS[1])
local q = redis.call('HMGET', KEYS[6], 'state', 'epoch', 'start', 'skip', 'roles', 'filter', 'capabilities')
if q[1] ~= 'live' and q[1] ~= 'gone' then return {'REFUSED'} end
if q[1] == 'gone' and tonumber(redis.call('ZSCORE', KEYS[7], ARGV[3]) or 0) <= now then return {'REFUSED'} end
if epoch and epoch ~= tonumber(q[2]) then return {'REFUSED'} end
local fields = {}
for i = 6, #ARGV, 2 do fields[ARGV[i]] = ARGV[i + 1] end
for _, name in ipairs({'owner', 'roles', 'filter', 'capabilities', 'snapshot'}) do
  if redis.call('HGET', KEYS[6], name) ~= fields[name] then return {'REFUSED'} end
end
local n, u = tonumber(ARGV[4]), tonumber(q[3])
if n >= 0 then u = u + math.floor(n / tonumber(ARGV[5])) end
if u < floor then return {'REFUSED'} end
recordQueue(KEYS, ARGV[1], math.min(u, last), now + tonumber(ARGV[2]), {unpack(ARGV, 6)})
return {'OK', unpack(q, 2)}`,
  },

  /**
   * Completes the registration of an event queue, which then can be polled. KEYS: queue cursors due. ARGV: id epoch
   * start skip leaseMs.
   */
  finalize: {
    numberOfKeys: 3,
    lua: `${READ_REDIS_TIME_LUA}
if redis.call('HGET', KEYS[1], 'state') ~= 'registering' then return 'GONE' end
redis.call('HSET', KEYS[1], 'state', 'live', 'epoch', ARGV[2], 'start', ARGV[3], 'skip', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[1])
return 'OK'`,
  },

  /**
   * Checks the event queues of several polls, in the order of the polls (docs/contract/event-log.md 5). KEYS: meta
   * cursors due, then a queue for each poll. ARGV: processChannelPrefix idsPerUnit polls; `polls` is JSON with id owner
   * lastEventId token holdMs renews known of each poll. Separate arguments would be parsed and copied one by one by
   * client and server. An expired queue is treated as removed, even if it still exists. Returns the last unit of the
   * log, then the status of each poll. After the status OK, the fixed properties of the queue follow, unless `known` is
   * true.
   */
  poll: {
    numberOfKeys: null,
    lua: `${READ_LOG_METADATA_LUA}${READ_REDIS_TIME_LUA}${NOTIFY_ENDED_POLL_PROCESS_LUA}
local epoch, last = meta(KEYS[1])
local prefix, idsPerUnit = ARGV[1], tonumber(ARGV[2])
local reply = {text(last)}
local function look(queue, id, owner, n, token, holdMs, renews)
  local q = redis.call('HMGET', queue, 'state', 'owner', 'epoch', 'token', 'start', 'idle')
  if q[1] ~= 'live' or q[2] ~= owner then return 'BAD' end
  if epoch and epoch ~= tonumber(q[3]) then return 'BAD' end
  if renews and q[4] ~= token then return 'ENDED' end
  if not renews and tonumber(redis.call('ZSCORE', KEYS[3], id) or now + 1) <= now then return 'BAD' end
  local start = tonumber(q[5])
  local u = start
  if n >= 0 then u = start + math.floor(n / idsPerUnit) end
  local cursor = tonumber(redis.call('ZSCORE', KEYS[2], id) or start)
  if u < cursor then return 'PRUNED' end
  if u <= last and u > cursor then redis.call('ZADD', KEYS[2], text(u), id) end
  redis.call('ZADD', KEYS[3], now + holdMs + tonumber(q[6]), id)
  if q[4] ~= token then
    endPoll(q[4], prefix, id, string.match(token, '^[^:]+'), '')
    redis.call('HSET', queue, 'token', token)
  end
  return 'OK'
end
for i, poll in ipairs(cjson.decode(ARGV[3])) do
  local queue = KEYS[i + 3]
  local status = look(queue, poll[1], poll[2], poll[3], poll[4], poll[5], poll[6])
  table.insert(reply, status)
  if status == 'OK' and not poll[7] then
    local q = redis.call('HMGET', queue, 'epoch', 'start', 'skip', 'roles', 'filter', 'capabilities')
    for field = 1, #q do table.insert(reply, q[field] or '') end
  end
end
return reply`,
  },

  /**
   * Deletes an event queue if it belongs to the owner. KEYS: queue. ARGV: root id owner processChannelPrefix. Returns 1
   * for a deleted live queue. A tombstone (expired queue) is also deleted, but the result is 0.
   */
  remove: {
    numberOfKeys: 1,
    lua: `${NOTIFY_ENDED_POLL_PROCESS_LUA}
local q = redis.call('HMGET', KEYS[1], 'owner', 'state')
if q[1] ~= ARGV[3] then return 0 end
forget(ARGV[1], ARGV[4], ARGV[2])
return q[2] == 'gone' and 0 or 1`,
  },

  /**
   * Deletes all event queues and tombstones (expired queues) of the given owners. KEYS: due owners. ARGV: root
   * processChannelPrefix indexes, then owners. If `indexes` is 1 or the index and `due` differ in size, missing queues
   * are first added to the index. Returns the number of deleted queues without tombstones.
   */
  removeOwned: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}${NOTIFY_ENDED_POLL_PROCESS_LUA}${EVENT_QUEUE_OWNER_INDEX_LUA}
if ARGV[3] == '1' or redis.call('ZCARD', KEYS[1]) ~= redis.call('ZCARD', KEYS[2]) then
  indexOwners(ARGV[1], math.huge)
end
local count = 0
for i = 4, #ARGV do
  local score = ownerScore(ARGV[i])
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], score, score)) do
    if redis.call('HGET', ARGV[1] .. ':q:' .. id, 'owner') == ARGV[i] then
      forget(ARGV[1], ARGV[2], id)
      count = count + 1
    end
  end
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', ARGV[1] .. ':goneOwners', score, score)) do
    if redis.call('HGET', ARGV[1] .. ':q:' .. id, 'owner') == ARGV[i] then forget(ARGV[1], ARGV[2], id) end
  end
end
return count`,
  },

  /**
   * Returns those of the given owners who have an event queue or a tombstone (expired queue). KEYS: due owners. ARGV:
   * root indexes, then owners.
   */
  listOwnersOfQueues: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}${EVENT_QUEUE_OWNER_INDEX_LUA}
if ARGV[2] == '1' or redis.call('ZCARD', KEYS[1]) ~= redis.call('ZCARD', KEYS[2]) then
  indexOwners(ARGV[1], math.huge)
end
local found = {}
for i = 3, #ARGV do
  local score, owns = ownerScore(ARGV[i]), false
  for _, set in ipairs({KEYS[2], ARGV[1] .. ':goneOwners'}) do
    for _, id in ipairs(redis.call('ZRANGEBYSCORE', set, score, score)) do
      owns = owns or redis.call('HGET', ARGV[1] .. ':q:' .. id, 'owner') == ARGV[i]
    end
  end
  if owns then found[#found + 1] = ARGV[i] end
end
return found`,
  },

  /**
   * Adds missing event queues to the index `owners`, and removes entries of the index without a queue. KEYS: due
   * owners. ARGV: root limit.
   */
  indexOwners: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}${EVENT_QUEUE_OWNER_INDEX_LUA}
return indexOwners(ARGV[1], tonumber(ARGV[2]))`,
  },

  /**
   * Removes expired event queues, by the clock of Redis. Live queues become tombstones, which clients may continue for
   * `retentionMs`. Expired queues in other states and expired tombstones are deleted. With `retentionMs` 0, no
   * tombstones are created. KEYS: due gone. ARGV: root processChannelPrefix limit retentionMs tombstonesPerOwner.
   */
  collect: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}${READ_REDIS_TIME_LUA}${NOTIFY_ENDED_POLL_PROCESS_LUA}${EVENT_QUEUE_OWNER_INDEX_LUA}${TURN_QUEUE_INTO_TOMBSTONE_LUA}
local retentionMs = tonumber(ARGV[4])
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do
  if retentionMs > 0 and redis.call('HGET', ARGV[1] .. ':q:' .. id, 'state') == 'live' then
    retain(ARGV[1], ARGV[2], id, now + retentionMs, tonumber(ARGV[5]))
  else
    forget(ARGV[1], ARGV[2], id)
  end
end
local ended = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ended) do forget(ARGV[1], ARGV[2], id) end
return math.max(#ids, #ended)`,
  },
} as const;
