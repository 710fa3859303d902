/**
 * Lua function that reads the Redis hash `meta` of a realm's log. Returns the epoch (nil before the first write), the
 * last unit, and the floor (last removed unit).
 */
export const READ_LOG_METADATA_LUA = `
local function meta(key)
  local m = redis.call('HMGET', key, 'epoch', 'last', 'floor')
  return tonumber(m[1] or nil), tonumber(m[2] or 0), tonumber(m[3] or 0)
end
local function text(n) return string.format('%.0f', n) end
`;

/** Lua statements that set the variable `now` to the time of the Redis server in milliseconds. */
export const READ_REDIS_TIME_LUA = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
`;
