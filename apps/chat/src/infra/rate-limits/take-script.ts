/**
 * KEYS one list a rule; ARGV windowMs and max of each rule in turn. Takes one from every rule, or nothing.
 *
 * Answers `{ waitMs, limit, remaining, resetsAtMs }` of the rule that leaves least: 0 waits not at all. A list holds the
 * times of what was taken within its window, newest first, by the clock of Redis. A request that is refused is not
 * noted, so that asking too early does not push the end of the wait away.
 */
export const TAKE = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local wait, tightest = 0, nil
for i, key in ipairs(KEYS) do
  local window, max = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  while true do
    local oldest = tonumber(redis.call('LINDEX', key, -1) or nil)
    if not oldest or oldest > now - window then break end
    redis.call('RPOP', key)
  end
  local left = max - redis.call('LLEN', key)
  if left <= 0 then
    wait = math.max(wait, tonumber(redis.call('LINDEX', key, max - 1)) + window - now)
  end
  if not tightest or left < tightest.left then
    tightest = { key = key, window = window, max = max, left = left }
  end
end
local resets = now + tightest.window
if wait == 0 then
  for i, key in ipairs(KEYS) do
    redis.call('LPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, ARGV[2 * i - 1])
  end
else
  resets = tonumber(redis.call('LINDEX', tightest.key, 0)) + tightest.window
end
local left = tightest.left
if wait == 0 then left = left - 1 end
return { wait, tightest.max, math.max(left, 0), resets }`;
