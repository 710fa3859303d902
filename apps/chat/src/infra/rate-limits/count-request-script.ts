/**
 * Redis script that counts a request against all rules of a rate limit. If one rule is exceeded, the request is counted
 * against no rule. KEYS contains one list per rule. ARGV contains windowMs and max of each rule, one rule after the
 * other. Returns `{ waitMs, limit, remaining, resetsAtMs }` of the rule with the fewest remaining requests, then
 * `remaining, nextInMs` of each rule. The value waitMs is 0 if the request was counted. The value nextInMs is the time
 * until the rule admits one additional request; 0 if no request is counted. A list contains the times of the requests
 * within its window, newest first, by the clock of Redis. Rejected requests are not counted, so that retrying early
 * does not prolong the wait.
 */
export const COUNT_RATE_LIMITED_REQUEST_SCRIPT = `
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
local result = { wait, tightest.max, math.max(left, 0), resets }
for i, key in ipairs(KEYS) do
  local window, max = tonumber(ARGV[2 * i - 1]), tonumber(ARGV[2 * i])
  local left = max - redis.call('LLEN', key)
  local leaving = tonumber(redis.call('LINDEX', key, left > 0 and -1 or max - 1) or nil)
  table.insert(result, math.max(left, 0))
  table.insert(result, leaving and leaving + window - now or 0)
end
return result`;
