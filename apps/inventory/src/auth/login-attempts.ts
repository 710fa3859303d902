import { createHash } from 'node:crypto';
import { getLoginAttemptCounterKey } from '@switchboard/auth';
import type { Logger } from '@switchboard/platform';
import type { RedisClient } from '@switchboard/queue';
import { inventoryErrors } from '../errors.js';

/** Maximum numbers of failed logins per account and per client address within a time window. */
export interface FailedLoginLimits {
  readonly windowMs: number;
  readonly perAccount: number;
  readonly perAddress: number;
}

export interface FailedLoginCounterOptions {
  readonly redis: RedisClient;
  /** Prefix of all Redis keys of the login counters. */
  readonly prefix: string;
  readonly limits: FailedLoginLimits;
  readonly logger: Pick<Logger, 'warn'>;
}

/** A login attempt: the submitted user name, and the IP address of the client. */
export interface LoginAttempt {
  readonly username: string;
  readonly ip: string;
}

const COUNT_LOGIN_ATTEMPT_COMMAND = 'switchboardInventoryTakeLogin';
const UNCOUNT_LOGIN_ATTEMPT_COMMAND = 'switchboardInventoryReturnLogin';

/**
 * Redis script that increments the counter KEYS[1] unless its value has reached ARGV[2]. The counter expires after
 * ARGV[1] milliseconds. Returns 0 if the counter was incremented, otherwise the time to wait in milliseconds.
 */
const countLoginAttemptScript = `
local taken = tonumber(redis.call('GET', KEYS[1]) or '0')
if taken >= tonumber(ARGV[2]) then return math.max(1, redis.call('PTTL', KEYS[1])) end
if redis.call('INCR', KEYS[1]) == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
return 0`;

const uncountLoginAttemptScript = `
if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end
return 0`;

/**
 * Counts failed logins per account and per client address, across all processes. Both counters are incremented before
 * the password is compared and decremented after a success, so that concurrent attempts cannot exceed the limits. While
 * Redis is unavailable, logins are not limited.
 */
export class FailedLoginCounter {
  constructor(private readonly parts: FailedLoginCounterOptions) {
    parts.redis.defineCommand(COUNT_LOGIN_ATTEMPT_COMMAND, { lua: countLoginAttemptScript, numberOfKeys: 1 });
    parts.redis.defineCommand(UNCOUNT_LOGIN_ATTEMPT_COMMAND, { lua: uncountLoginAttemptScript, numberOfKeys: 1 });
  }

  /**
   * Runs the login function and counts the attempt. A login that returns null counts as failed.
   *
   * @throws ApplicationError LOGIN_THROTTLED if a limit is reached; `login` is then not run
   */
  async attemptLoginAndCountFailures<T>(attempt: LoginAttempt, login: () => Promise<T | null>): Promise<T | null> {
    const counters = this.#counterKeysOf(attempt);
    const waits = await Promise.all(counters.map(({ key, max }) => this.#countAttempt(key, max)));
    const waitMs = Math.max(...waits);
    const taken = counters.filter((_, index) => waits[index] === 0);
    if (waitMs > 0) {
      await this.#uncountAttempt(taken);
      const seconds = Math.ceil(waitMs / 1000);
      throw inventoryErrors.create('LOGIN_THROTTLED', {
        params: { seconds },
        headers: { 'retry-after': String(seconds) },
      });
    }
    let result: T | null;
    try {
      result = await login();
    } catch (error) {
      // An internal error does not count as a wrong password.
      await this.#uncountAttempt(taken);
      throw error;
    }
    if (result !== null) await this.#uncountAttempt(taken);
    return result;
  }

  #counterKeysOf({ username, ip }: LoginAttempt): readonly { readonly key: string; readonly max: number }[] {
    const { prefix, limits } = this.parts;
    // The digest limits the length and the characters of the key. User names are compared without case.
    const account = createHash('sha256').update(username.normalize('NFKC').toLowerCase()).digest('base64url');
    return [
      { key: `${prefix}:login:account:${account}`, max: limits.perAccount },
      { key: `${prefix}:login:address:${getLoginAttemptCounterKey(ip)}`, max: limits.perAddress },
    ];
  }

  async #countAttempt(key: string, max: number): Promise<number> {
    return Number(await this.#runCounterCommand(COUNT_LOGIN_ATTEMPT_COMMAND, key, this.parts.limits.windowMs, max));
  }

  async #uncountAttempt(counters: readonly { readonly key: string }[]): Promise<void> {
    await Promise.all(counters.map(({ key }) => this.#runCounterCommand(UNCOUNT_LOGIN_ATTEMPT_COMMAND, key)));
  }

  async #runCounterCommand(name: string, ...args: (string | number)[]): Promise<unknown> {
    const { redis, logger } = this.parts;
    const command: unknown = Reflect.get(redis, name);
    if (typeof command !== 'function') throw new Error(`${name} is not loaded`);
    try {
      return await Reflect.apply(command, redis, args);
    } catch (error) {
      logger.warn({ err: error }, 'failed logins are not counted: Redis is unavailable');
      return 0;
    }
  }
}
