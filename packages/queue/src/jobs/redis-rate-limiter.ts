import type { RedisClient } from '../redis.js';

/**
 * Redis script that returns the milliseconds until a job may start; 0 if it starts now. KEYS: reserved started turns.
 * ARGV: jobId max perMs. `reserved` contains the newest `max` reserved start times, and `started` contains the newest
 * `max` times at which attempts really began. A job beyond the limit reserves the next free start time, stored under
 * the job's id in `turns`. Each of ten thousand waiting jobs thus tries only once. `started` preserves the limit if
 * jobs start later than reserved. A job that is late by a whole period reserves a new time. Otherwise all jobs that
 * waited through an outage would repeatedly try together.
 */
const RESERVE_JOB_START_SCRIPT = `
local t = redis.call('TIME')
local now = tonumber(t[1]) * 1000 + math.floor(tonumber(t[2]) / 1000)
local max, window = tonumber(ARGV[2]), tonumber(ARGV[3])
local function text(n) return string.format('%.0f', n) end
local function free(key)
  local before = tonumber(redis.call('LINDEX', key, max - 1) or nil)
  if before and before + window > now then return before + window end
  return now
end
local function note(key, time)
  redis.call('LPUSH', key, text(time))
  redis.call('LTRIM', key, 0, max - 1)
end
local turn = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or nil)
if turn and now - turn > window then turn = nil end
if not turn then
  turn = free(KEYS[1])
  note(KEYS[1], turn)
end
local begins = turn
if turn <= now then begins = free(KEYS[2]) end
if begins > now then
  redis.call('HSET', KEYS[3], ARGV[1], text(turn))
else
  note(KEYS[2], now)
  redis.call('HDEL', KEYS[3], ARGV[1])
end
local newest = math.max(now, tonumber(redis.call('LINDEX', KEYS[1], 0) or now))
for i = 1, 3 do redis.call('PEXPIREAT', KEYS[i], text(newest + 2 * window)) end
return begins - now`;

const RESERVE_JOB_START_COMMAND = 'switchboardJobsTakeTurn';

/**
 * Limits the number of jobs that start per destination and period. The starts in all processes are counted in Redis, by
 * the clock of Redis.
 */
export class RedisJobStartLimiter {
  constructor(
    private readonly redis: RedisClient,
    /**
     * Prefix of the Redis keys of the rate limiter. The prefix includes the hash tag that all keys of one kind of job
     * share.
     */
    private readonly root: string,
    private readonly bound: { readonly max: number; readonly perMs: number },
  ) {
    redis.defineCommand(RESERVE_JOB_START_COMMAND, { numberOfKeys: 3, lua: RESERVE_JOB_START_SCRIPT });
  }

  /**
   * Counts the start of a job for a destination. Returns the milliseconds until the job may start; 0 if the job may
   * start now.
   */
  async reserveJobStart(destination: string, jobId: string): Promise<number> {
    const command: unknown = Reflect.get(this.redis, RESERVE_JOB_START_COMMAND);
    if (typeof command !== 'function') throw new Error(`${RESERVE_JOB_START_COMMAND} is not loaded`);
    const keys = ['reserved', 'started', 'turns'].map((name) => `${this.root}rate:${name}:${destination}`);
    const { max, perMs } = this.bound;
    return Number(await Reflect.apply(command, this.redis, [...keys, jobId, max, perMs]));
  }
}
