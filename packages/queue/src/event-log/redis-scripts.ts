/**
 * Lua scripts of docs/contract/event-log.md: each step that must be atomic is one script. All keys of a realm share one
 * hash tag, so that they are stored, lost and moved together. Units are passed as text or as numbers below 2^53, which
 * Lua's doubles represent exactly.
 *
 * In addition to `log`, strings `heads:<n>` store the headers of {@link UNITS_PER_HEADER_BLOCK} units each, one line `unit-0 rowId
 * unitBefore audience` per entry: Lua needs as long for one complete entry as for fifty headers.
 *
 * Every key that a script requires is among its KEYS, so that Redis rejects the script before any effect while a
 * cluster moves the slot.
 */

/** Number of log units whose entry headers one string stores. Block n begins with the unit n times this number. */
export const UNITS_PER_HEADER_BLOCK = 1024;

/** Maximum number of header blocks that one script reads or deletes. These scripts have a fixed number of keys. */
export const MAX_BLOCKS_PER_SCRIPT = 8;
export const REMOVED_BLOCKS_PER_TRIM = 100;

/**
 * Maximum length of an audience in an entry's header. A longer audience is stored as "everyone" there, and readers
 * check the audience in the complete entry.
 */
const MAX_AUDIENCE_LENGTH = 1_000;

/** Lua function that reads a realm's hash `meta`: epoch (nil before the first write), last and floor. */
const META_FUNCTION = `
local function meta(key)
  local m = redis.call('HMGET', key, 'epoch', 'last', 'floor')
  return tonumber(m[1] or nil), tonumber(m[2] or 0), tonumber(m[3] or 0)
end
local function text(n) return string.format('%.0f', n) end
`;

const ENTRY_TEXT_FUNCTION = `
local function entryText(entry)
  local f = entry[2]
  return table.concat({entry[1], f[2], f[4], f[6], f[8]}, ' ')
end
`;

const NOW_FUNCTION = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
`;

/**
 * Lua function that notifies the process of a token (`process:number`) that its poll of an event queue has ended. The
 * process `except` is not notified.
 */
const END_POLL_FUNCTION = `
local function endPoll(token, prefix, id, except)
  if not token or token == '' then return end
  local process = string.match(token, '^[^:]+')
  if process ~= except then redis.call('PUBLISH', prefix .. process, 'end ' .. id .. ' ' .. token) end
end
local function forget(root, prefix, id)
  endPoll(redis.call('HGET', root .. ':q:' .. id, 'token'), prefix, id, '')
  redis.call('DEL', root .. ':q:' .. id)
  redis.call('ZREM', root .. ':cursors', id)
  redis.call('ZREM', root .. ':due', id)
  redis.call('ZREM', root .. ':owners', id)
end
`;

/**
 * Lua functions for `owners`, a sorted set of the event queues in `due` whose score is a hash of the owner. It may lack
 * queues that a process of an earlier version has recorded, and contain queues that such a process has removed, until
 * they are indexed.
 */
const OWNER_FUNCTIONS = `
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

export const redisScripts = {
  /**
   * Appends rows to a realm's log (step C). KEYS: log meta, then the blocks for the headers of the rows. ARGV: epoch
   * position channel, then for each row: seq weight id void audience payload block (an index into KEYS). Stored numbers
   * remain text: this script runs for every event, and Lua takes most of its time.
   */
  append: {
    numberOfKeys: null,
    lua: `
local m = redis.call('HMGET', KEYS[2], 'epoch', 'last', 'floor')
local known, epoch, last, floor = tonumber(m[1] or nil), tonumber(ARGV[1]), m[2] or '0', m[3] or '0'
if known and known > epoch then return {'STALE', last} end
if known and known < epoch then return {'OLD', last} end
local first, reached = 4, tonumber(last)
while first < #ARGV and tonumber(ARGV[first]) <= reached do first = first + 7 end
if first > 4 then
  local seq = ARGV[first - 7]
  local kept = redis.call('XRANGE', KEYS[1], seq .. '-0', seq .. '-0')
  if kept[1] and kept[1][2][2] ~= ARGV[first - 5] then return {'DIVERGED', last} end
end
local status, before, lines = 'OK', last, {}
for i = first, #ARGV, 7 do
  local seq, row, audience, block = ARGV[i], ARGV[i + 2], ARGV[i + 4], ARGV[i + 6]
  if tonumber(seq) - tonumber(ARGV[i + 1]) ~= tonumber(last) then status = 'GAP' break end
  redis.call('XADD', KEYS[1], seq .. '-0', 'o', row, 'p', last, 'a', audience, 'e', ARGV[i + 5])
  if #audience > ${MAX_AUDIENCE_LENGTH} then audience = '*' end
  if not lines[block] then lines[block] = {} end
  table.insert(lines[block], seq .. '-0 ' .. row .. ' ' .. last .. ' ' .. audience .. '\\n')
  last = seq
  if ARGV[i + 3] == '1' then floor = seq end
end
if tonumber(last) < tonumber(ARGV[2]) then status = 'GAP' end
if last ~= before then
  redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'last', last, 'floor', floor)
  redis.call('PUBLISH', ARGV[3], last)
end
-- Last, and whatever comes of it: the log can do without.
for block, added in pairs(lines) do redis.pcall('APPEND', KEYS[tonumber(block)], table.concat(added)) end
return {status, last}`,
  },

  /**
   * Deletes the entries of a realm's log up to unit `floor`, because they are lost. Raises `last` and the floor of the
   * log to `floor`. A newer epoch deletes all entries. KEYS: log meta. ARGV: epoch floor channel.
   */
  reset: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}
local epoch, to = tonumber(ARGV[1]), tonumber(ARGV[2])
local known, last, floor = meta(KEYS[2])
if known and known > epoch then return {'STALE', text(last), text(known)} end
if (known and known < epoch) or last < to then
  redis.call('DEL', KEYS[1])
  if not known then redis.call('HSET', KEYS[2], 'heads', text(math.floor((to + 1) / ${UNITS_PER_HEADER_BLOCK}))) end
  redis.call('HSET', KEYS[2], 'epoch', ARGV[1], 'last', ARGV[2], 'floor', ARGV[2])
  redis.call('PUBLISH', ARGV[3], ARGV[2])
  last = to
end
return {'OK', text(last), text(epoch)}`,
  },

  /**
   * Returns the state of a realm's log and the entries after a unit, at most `count` of them and about `maxBytes`
   * bytes. KEYS: log meta. ARGV: after count maxBytes. Each entry is one text, `unit-0 rowId unitBefore audience
   * payload`: a reply with few long texts is parsed several times as fast.
   */
  read: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}${ENTRY_TEXT_FUNCTION}
local known, last, floor = meta(KEYS[2])
local reply = {text(known or 0), text(last), text(floor)}
local from, left, bytes = text(tonumber(ARGV[1]) + 1), tonumber(ARGV[2]), tonumber(ARGV[3])
while left > 0 and bytes > 0 do
  local entries = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', math.min(left, 100))
  for i = 1, #entries do
    local one = entryText(entries[i])
    bytes = bytes - #one
    table.insert(reply, one)
  end
  if #entries < 100 then break end
  left = left - #entries
  from = '(' .. entries[#entries][1]
end
return reply`,
  },

  /**
   * Returns the state of a realm's log and the headers in the given blocks. KEYS: meta and blocks of headers. ARGV: the
   * number of blocks that count; the rest is padding.
   */
  headers: {
    numberOfKeys: 1 + MAX_BLOCKS_PER_SCRIPT,
    lua: `${META_FUNCTION}
local known, last, floor = meta(KEYS[1])
local reply = {text(known or 0), text(last), text(floor)}
for i = 2, 1 + tonumber(ARGV[1]) do table.insert(reply, redis.call('GET', KEYS[i]) or '') end
return reply`,
  },

  /**
   * Returns the state of a realm's log and the entries of the given units that still exist, in the form of `read`.
   * KEYS: log meta. ARGV: unit ...
   */
  pick: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}${ENTRY_TEXT_FUNCTION}
local known, last, floor = meta(KEYS[2])
local reply = {text(known or 0), text(last), text(floor)}
for i = 1, #ARGV do
  local entries = redis.call('XRANGE', KEYS[1], ARGV[i] .. '-0', ARGV[i] .. '-0')
  if entries[1] then table.insert(reply, entryText(entries[1])) end
end
return reply`,
  },

  /**
   * Records an event queue whose registration is unfinished (step 2 of a registration). KEYS: meta queue cursors due
   * owners. ARGV: id graceMs, then field value ...
   */
  record: {
    numberOfKeys: 5,
    lua: `${META_FUNCTION}${NOW_FUNCTION}${OWNER_FUNCTIONS}
local _, last = meta(KEYS[1])
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[2], 'state', 'registering', 'token', '', unpack(ARGV, 3))
redis.call('ZADD', KEYS[3], text(last), ARGV[1])
redis.call('ZADD', KEYS[4], now + tonumber(ARGV[2]), ARGV[1])
redis.call('ZADD', KEYS[5], ownerScore(redis.call('HGET', KEYS[2], 'owner')), ARGV[1])
return 'OK'`,
  },

  /** Completes the registration of an event queue. KEYS: queue cursors due. ARGV: id epoch start skip leaseMs. */
  finalize: {
    numberOfKeys: 3,
    lua: `${NOW_FUNCTION}
if redis.call('HGET', KEYS[1], 'state') ~= 'registering' then return 'GONE' end
redis.call('HSET', KEYS[1], 'state', 'live', 'epoch', ARGV[2], 'start', ARGV[3], 'skip', ARGV[4])
redis.call('ZADD', KEYS[2], ARGV[3], ARGV[1])
redis.call('ZADD', KEYS[3], now + tonumber(ARGV[5]), ARGV[1])
return 'OK'`,
  },

  /**
   * Checks the event queues of polls in their order (docs/contract/event-log.md 5). KEYS: meta cursors due, then a
   * queue for each poll. ARGV: processChannelPrefix idsPerUnit polls; `polls` is JSON with id owner lastEventId token
   * holdMs renews known of each poll, because separate arguments would be parsed and copied one by one on both sides.
   * An expired queue counts as removed even if it was not collected yet. Returns last, then for each poll its status,
   * followed after OK by the fixed properties of the queue unless the caller knows them.
   */
  poll: {
    numberOfKeys: null,
    lua: `${META_FUNCTION}${NOW_FUNCTION}${END_POLL_FUNCTION}
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
    endPoll(q[4], prefix, id, string.match(token, '^[^:]+'))
    redis.call('HSET', queue, 'token', token)
  end
  return 'OK'
end
for i, poll in ipairs(cjson.decode(ARGV[3])) do
  local queue = KEYS[i + 3]
  local status = look(queue, poll[1], poll[2], poll[3], poll[4], poll[5], poll[6])
  table.insert(reply, status)
  if status == 'OK' and not poll[7] then
    local q = redis.call('HMGET', queue, 'epoch', 'start', 'skip', 'user', 'roles', 'filter', 'capabilities')
    for field = 1, #q do table.insert(reply, q[field] or '') end
  end
end
return reply`,
  },

  /** Deletes an event queue if it belongs to the owner. KEYS: queue. ARGV: root id owner processChannelPrefix. */
  remove: {
    numberOfKeys: 1,
    lua: `${END_POLL_FUNCTION}
if redis.call('HGET', KEYS[1], 'owner') ~= ARGV[3] then return 0 end
forget(ARGV[1], ARGV[4], ARGV[2])
return 1`,
  },

  /**
   * Deletes all event queues of some owners. KEYS: due owners. ARGV: root processChannelPrefix indexes, then owners. If
   * `indexes` is 1 or the index and `due` differ in size, queues missing in the index are added first.
   */
  removeOwned: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}${END_POLL_FUNCTION}${OWNER_FUNCTIONS}
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
end
return count`,
  },

  /** Returns those of the owners who have an event queue. KEYS: due owners. ARGV: root indexes, then owners. */
  listOwnersOfQueues: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}${OWNER_FUNCTIONS}
if ARGV[2] == '1' or redis.call('ZCARD', KEYS[1]) ~= redis.call('ZCARD', KEYS[2]) then
  indexOwners(ARGV[1], math.huge)
end
local found = {}
for i = 3, #ARGV do
  local score = ownerScore(ARGV[i])
  for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], score, score)) do
    if redis.call('HGET', ARGV[1] .. ':q:' .. id, 'owner') == ARGV[i] then
      found[#found + 1] = ARGV[i]
      break
    end
  end
end
return found`,
  },

  /** Adds missing event queues to `owners` and removes entries without a queue. KEYS: due owners. ARGV: root limit. */
  indexOwners: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}${OWNER_FUNCTIONS}
return indexOwners(ARGV[1], tonumber(ARGV[2]))`,
  },

  /** Deletes expired event queues, by the clock of Redis. KEYS: due. ARGV: root processChannelPrefix limit. */
  collect: {
    numberOfKeys: 1,
    lua: `${NOW_FUNCTION}${END_POLL_FUNCTION}
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do forget(ARGV[1], ARGV[2], id) end
return #ids`,
  },

  /**
   * Removes old entries from a realm's log (docs/contract/event-log.md 6). KEYS: log meta cursors. ARGV: hardCap
   * capBytes. Returns last, floor, and the first block of headers that may exist.
   */
  trim: {
    numberOfKeys: 3,
    lua: `${META_FUNCTION}
local known, last, floor = meta(KEYS[2])
if not known then return {'0', '0', '0'} end
local m = last
local lowest = redis.call('ZRANGE', KEYS[3], 0, 0, 'WITHSCORES')
if lowest[2] then m = math.min(m, tonumber(lowest[2])) end
local length, kept = redis.call('XLEN', KEYS[1]), tonumber(ARGV[1])
local bytes, capBytes = redis.call('MEMORY', 'USAGE', KEYS[1]) or 0, tonumber(ARGV[2])
if bytes > capBytes then kept = math.min(kept, math.max(1, math.floor(length * 0.9 * capBytes / bytes))) end
if length > kept then
  redis.call('XTRIM', KEYS[1], 'MAXLEN', '=', text(kept))
  local first = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)
  if first[1] then m = math.max(m, tonumber(first[1][2][4])) end
end
if m > floor then
  floor = m
  redis.call('HSET', KEYS[2], 'floor', text(floor))
end
redis.call('XTRIM', KEYS[1], 'MINID', '=', text(floor + 1))
return {text(last), text(floor), redis.call('HGET', KEYS[2], 'heads') or '0'}`,
  },

  /** Deletes header blocks before block `to` whose entries are gone. KEYS: meta and those blocks. ARGV: to. */
  dropHeads: {
    numberOfKeys: 1 + REMOVED_BLOCKS_PER_TRIM,
    lua: `
redis.call('DEL', unpack(KEYS, 2))
local heads = redis.call('HGET', KEYS[1], 'heads')
if redis.call('EXISTS', KEYS[1]) == 1 and tonumber(heads or 0) < tonumber(ARGV[1]) then
  redis.call('HSET', KEYS[1], 'heads', ARGV[1])
end
return 'OK'`,
  },

  /** Returns the state of a realm's log: epoch, last, floor, number of event queues. KEYS: meta due. */
  status: {
    numberOfKeys: 2,
    lua: `${META_FUNCTION}
local known, last, floor = meta(KEYS[1])
return {text(known or 0), text(last), text(floor), text(redis.call('ZCARD', KEYS[2]))}`,
  },
} as const;

/** Name of a Lua script of the event log. */
export type ScriptName = keyof typeof redisScripts;
