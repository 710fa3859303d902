import type { Clock, Logger } from '@switchboard/platform';
import type { RedisClient } from '@switchboard/queue';
import {
  type RateLimitConfig,
  type RateLimitName,
  type RateLimitRule,
  getRateLimitRules,
  productionDefaultRateLimitRules,
} from './rate-limit-rules.js';
import { COUNT_RATE_LIMITED_REQUEST_SCRIPT } from './count-request-script.js';

/**
 * State of one rule of a rate limit after a request was counted or rejected: the number of requests that the rule still
 * admits.
 */
interface RateLimitRuleState extends RateLimitRule {
  readonly remaining: number;
  /** Time in milliseconds until the rule admits one additional request; 0 if the rule currently counts no requests. */
  readonly nextInMs: number;
}

/** Result of counting a request against a rate limit. */
export interface RateLimitResult {
  /** Time in milliseconds after which a rejected request may be repeated; 0 if the request was counted. */
  readonly waitMs: number;
  /** Maximum number of requests that the rate limit rule admits within its period. */
  readonly limit: number;
  readonly remaining: number;
  /** Time at which the period of the rule ends, in milliseconds since the epoch, by the clock of Redis. */
  readonly resetsAtMs: number;
  /** State of each rule of the rate limit, including the remaining requests, in the order of the rules. */
  readonly rules: readonly RateLimitRuleState[];
}

export interface RateLimiterDependencies {
  readonly redis: RedisClient;
  /** Prefix of all Redis keys that the rate limiter uses. */
  readonly prefix: string;
  readonly config: RateLimitConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

const COUNT_REQUEST_REDIS_COMMAND = 'switchboardChatTakeRate';

/**
 * Maximum time in milliseconds for which a request waits for Redis. After that time, the request is admitted without
 * being counted.
 */
const RATE_LIMIT_REDIS_TIMEOUT_MS = 1_000;
/** Time in milliseconds for which the rate limiter counts no requests after Redis did not respond. */
const RATE_LIMITER_REDIS_PAUSE_MS = 2_000;

/**
 * Rate limiter that counts the requests of all processes together in Redis (docs/contract/chat.md 1.7). Each request
 * takes one script call. While Redis is unavailable or too slow, no requests are limited.
 */
export class RateLimiter {
  readonly #rules: ReadonlyMap<string, readonly RateLimitRule[]>;
  #pausedUntil = 0;

  constructor(private readonly parts: RateLimiterDependencies) {
    parts.redis.defineCommand(COUNT_REQUEST_REDIS_COMMAND, { lua: COUNT_RATE_LIMITED_REQUEST_SCRIPT });
    const names = Object.keys(productionDefaultRateLimitRules) as RateLimitName[];
    this.#rules = new Map(names.map((name) => [name, getRateLimitRules(parts.config, name)]));
  }

  /**
   * Counts one request against a rate limit. Returns the time to wait if the limit is exceeded, and null if no limit
   * applies.
   *
   * @param subject key of the counter, never a secret
   * @param own rules for this subject that replace the configured ones
   */
  async countRequestAgainstLimit(
    name: RateLimitName,
    subject: string,
    own?: readonly RateLimitRule[],
  ): Promise<RateLimitResult | null> {
    const rules = own ?? this.#rules.get(name) ?? [];
    if (rules.length === 0 || this.parts.clock.now() < this.#pausedUntil) return null;
    try {
      return await this.#withTimeout(this.#runScript(name, subject, rules));
    } catch (error) {
      this.#pausedUntil = this.parts.clock.now() + RATE_LIMITER_REDIS_PAUSE_MS;
      this.parts.logger.warn({ err: error }, 'rate limits are not enforced: Redis is unavailable');
      return null;
    }
  }

  async #runScript(name: string, subject: string, rules: readonly RateLimitRule[]): Promise<RateLimitResult> {
    const command: unknown = Reflect.get(this.parts.redis, COUNT_REQUEST_REDIS_COMMAND);
    if (typeof command !== 'function') throw new Error(`${COUNT_REQUEST_REDIS_COMMAND} is not loaded`);
    const root = `${this.parts.prefix}:rate:{${name}:${subject}}`;
    const keys = rules.map(({ windowSeconds }) => `${root}:${windowSeconds}`);
    const args = rules.flatMap(({ windowSeconds, max }) => [windowSeconds * 1000, max]);
    const result: unknown = await Reflect.apply(command, this.parts.redis, [keys.length, ...keys, ...args]);
    const [waitMs = 0, limit = 0, remaining = 0, resetsAtMs = 0, ...states] = Array.isArray(result)
      ? result.map(Number)
      : [];
    const ruleStates = rules.map((rule, index) => ({
      ...rule,
      remaining: states[2 * index] ?? 0,
      nextInMs: states[2 * index + 1] ?? 0,
    }));
    return { waitMs, limit, remaining, resetsAtMs, rules: ruleStates };
  }

  #withTimeout<T>(work: Promise<T>): Promise<T> {
    const { clock } = this.parts;
    return new Promise((resolve, reject) => {
      // After the event loop was blocked, timers run before received data is read, so the data is given one more turn.
      const late = (): void => void setImmediate(() => reject(new Error('no response in time')));
      const timer = clock.setTimeout(late, RATE_LIMIT_REDIS_TIMEOUT_MS);
      void work.then(resolve, reject).finally(() => clock.clearTimeout(timer));
    });
  }
}
