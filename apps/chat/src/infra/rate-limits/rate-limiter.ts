import type { Clock, Logger } from '@switchboard/platform';
import type { RedisClient } from '@switchboard/queue';
import {
  type RateLimitConfig,
  type RateLimitName,
  type RateLimitRule,
  getRateLimitRules,
  defaultRateLimitRules,
} from './rate-limit-rules.js';
import { COUNT_REQUEST_SCRIPT } from './count-request-script.js';

/** Requests that one rule of a rate limit still admits, after a request was counted or refused. */
interface RateLimitRuleState extends RateLimitRule {
  readonly remaining: number;
  /** Milliseconds until the rule admits one more request than now; 0 if no request is counted. */
  readonly nextInMs: number;
}

/** Result of counting a request against a rate limit. */
export interface RateLimitResult {
  /** Milliseconds to wait before the request may be repeated; 0 if it was counted. */
  readonly waitMs: number;
  /** Maximum number of requests within the period of the rule. */
  readonly limit: number;
  readonly remaining: number;
  /** Time when the rule's period is over, in milliseconds since the epoch, by the clock of Redis. */
  readonly resetsAtMs: number;
  /** Remaining requests of each rule of the limit, in the order of the rules. */
  readonly rules: readonly RateLimitRuleState[];
}

/** Dependencies of {@link RateLimiter}. */
export interface RateLimiterDependencies {
  readonly redis: RedisClient;
  /** Prefix of all Redis keys that the rate limiter uses. */
  readonly prefix: string;
  readonly config: RateLimitConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}

const COUNT_REQUEST_COMMAND = 'switchboardChatTakeRate';

/** Maximum time that a request waits for Redis before it is admitted uncounted, in milliseconds. */
const REDIS_TIMEOUT_MS = 1_000;
/** Time in milliseconds during which no requests are counted after Redis did not respond. */
const RATE_LIMITER_REDIS_PAUSE_MS = 2_000;

/**
 * Counts requests in Redis for all processes together (docs/contract/chat.md 1.7), with one script call each. While
 * Redis is unavailable or too slow, no requests are limited.
 */
export class RateLimiter {
  readonly #rules: ReadonlyMap<string, readonly RateLimitRule[]>;
  #pausedUntil = 0;

  constructor(private readonly parts: RateLimiterDependencies) {
    parts.redis.defineCommand(COUNT_REQUEST_COMMAND, { lua: COUNT_REQUEST_SCRIPT });
    const names = Object.keys(defaultRateLimitRules) as RateLimitName[];
    this.#rules = new Map(names.map((name) => [name, getRateLimitRules(parts.config, name)]));
  }

  /**
   * Counts one request against a rate limit. Returns the time to wait if the limit is exceeded, and null if no limit
   * applies.
   *
   * @param subject key of the counter, never a secret
   * @param own rules for this subject that replace the configured ones
   */
  async countRequest(
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
    const command: unknown = Reflect.get(this.parts.redis, COUNT_REQUEST_COMMAND);
    if (typeof command !== 'function') throw new Error(`${COUNT_REQUEST_COMMAND} is not loaded`);
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
      const timer = clock.setTimeout(late, REDIS_TIMEOUT_MS);
      void work.then(resolve, reject).finally(() => clock.clearTimeout(timer));
    });
  }
}
