import { READ_LOG_METADATA_LUA } from './lua-functions.js';
import { eventQueueLuaScripts } from './event-queue-lua-scripts.js';

/**
 * Lua scripts of docs/contract/event-log.md: each step that must be atomic is one script. All keys of a realm share one
 * hash tag, so that all these keys are stored, lost and moved together. Units (log positions) are passed as text or as
 * numbers below 2^53, which Lua's doubles represent exactly.
 *
 * In addition to `log`, strings `heads:<n>` store entry headers, each for {@link UNITS_PER_HEADER_BLOCK} units. A
 * header is one line `unit-0 rowId unitBefore audience`. Lua needs the same time for one complete entry as for fifty
 * headers.
 *
 * Every key that a script requires is among its KEYS, so that Redis rejects the script before any effect while a
 * cluster moves the slot.
 */

/**
 * Number of log positions (units) whose entry headers are stored in one Redis string, called a block. Block n begins
 * with the unit n times this number.
 */
export const UNITS_PER_HEADER_BLOCK = 1024;

/**
 * Maximum number of header blocks that one script reads or deletes. Scripts for header blocks have a fixed number of
 * keys.
 */
export const MAX_BLOCKS_PER_SCRIPT = 8;
export const REMOVED_BLOCKS_PER_TRIM = 100;

/**
 * Maximum length in bytes of an audience in the header of a log entry. A header with a longer audience contains
 * "everyone" instead. Readers then check the audience in the complete entry.
 */
export const MAX_AUDIENCE_LENGTH = 1_000;

const ENTRY_TEXT_LUA = `
local function entryText(entry)
  local f = entry[2]
  return table.concat({entry[1], f[2], f[4], f[6], f[8]}, ' ')
end
`;

export const redisScripts = {
  ...eventQueueLuaScripts,

  /**
   * Appends rows to a realm's log (step C). KEYS: log meta, then the blocks for the headers of the rows. ARGV: epoch
   * position channel, then for each row: seq weight id void audience payload block (an index into KEYS). Numbers are
   * stored as text, because this script runs for every event and conversions in Lua would take most of the time.
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
   * Deletes the entries of a realm's log up to unit `floor`, because earlier entries are lost. Raises the last unit and
   * the floor (last removed unit) of the log to `floor`. A newer epoch deletes all entries. KEYS: log meta. ARGV: epoch
   * floor channel.
   */
  reset: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}
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
   * Returns the state of a realm's log and the entries after a unit, at most `count` entries and about `maxBytes`
   * bytes. KEYS: log meta. ARGV: after count maxBytes. Each entry is one text,
   * `unit-0 rowId unitBefore audience payload`: clients parse a reply with few long texts several times as fast as one
   * with many short texts.
   */
  read: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}${ENTRY_TEXT_LUA}
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
   * number of requested blocks; the remaining keys are padding.
   */
  headers: {
    numberOfKeys: 1 + MAX_BLOCKS_PER_SCRIPT,
    lua: `${READ_LOG_METADATA_LUA}
local known, last, floor = meta(KEYS[1])
local reply = {text(known or 0), text(last), text(floor)}
for i = 2, 1 + tonumber(ARGV[1]) do table.insert(reply, redis.call('GET', KEYS[i]) or '') end
return reply`,
  },

  /**
   * Returns the state of a realm's log and the log entries at the given positions (units) that still exist, in the form
   * of `read`. KEYS: log meta. ARGV: unit ...
   */
  pick: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}${ENTRY_TEXT_LUA}
local known, last, floor = meta(KEYS[2])
local reply = {text(known or 0), text(last), text(floor)}
for i = 1, #ARGV do
  local entries = redis.call('XRANGE', KEYS[1], ARGV[i] .. '-0', ARGV[i] .. '-0')
  if entries[1] then table.insert(reply, entryText(entries[1])) end
end
return reply`,
  },

  /**
   * Removes old entries from a realm's log (docs/contract/event-log.md 6). KEYS: log meta cursors. ARGV: hardCap
   * capBytes. Returns the last unit, the floor (last removed unit), and the first block of headers that may exist.
   */
  trim: {
    numberOfKeys: 3,
    lua: `${READ_LOG_METADATA_LUA}
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

  /**
   * Deletes the header blocks before block `to`, whose log entries are already deleted. KEYS: meta and the blocks.
   * ARGV: to.
   */
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

  /**
   * Returns the state of a realm's log: the epoch, the last unit, the floor (last removed unit), and the number of
   * event queues. KEYS: meta due.
   */
  status: {
    numberOfKeys: 2,
    lua: `${READ_LOG_METADATA_LUA}
local known, last, floor = meta(KEYS[1])
return {text(known or 0), text(last), text(floor), text(redis.call('ZCARD', KEYS[2]))}`,
  },
} as const;

/** Name of a Lua script of the event log. */
export type ScriptName = keyof typeof redisScripts;
