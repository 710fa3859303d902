/** Lua function that reads a realm's hash `meta`: epoch (nil before the first write), last and floor. */
export const READ_META_LUA = `
local function meta(key)
  local m = redis.call('HMGET', key, 'epoch', 'last', 'floor')
  return tonumber(m[1] or nil), tonumber(m[2] or 0), tonumber(m[3] or 0)
end
local function text(n) return string.format('%.0f', n) end
`;

/** Lua statements that set `now`, the time of Redis in milliseconds. */
export const REDIS_TIME_LUA = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
`;
