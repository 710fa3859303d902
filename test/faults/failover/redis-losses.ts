import type { RedisPair } from '../stores/replicated-redis.js';

/** A scenario in which a Redis primary is lost and its replica becomes the primary. */
export interface RedisLoss {
  readonly name: string;
  /** True if the replica lacks the last writes of the primary, because the replication is cut before the loss. */
  readonly cutsReplication: boolean;
  /**
   * Causes the loss of the primary. Resolves when the replica is the primary, with a function that waits until the
   * former primary has returned as a replica. If the former primary has ended, resolves with null.
   */
  run(pair: RedisPair): Promise<(() => Promise<void>) | null>;
}

/** Loss scenario of the short form of the test. */
const killed: RedisLoss = {
  name: 'is killed',
  cutsReplication: true,
  run: async (pair) => {
    await pair.primary.kill();
    await pair.waitForPromotion();
    return null;
  },
};

/** All scenarios for the loss of a Redis primary. */
export const redisLosses: readonly RedisLoss[] = [
  killed,
  {
    name: 'is paused and returns as a replica',
    cutsReplication: true,
    run: async (pair) => {
      const resume = pair.pausePrimary();
      await pair.waitForPromotion();
      return async () => {
        resume();
        await pair.waitForDemotion();
      };
    },
  },
  {
    name: 'is replaced by a forced failover',
    cutsReplication: false,
    run: async (pair) => {
      await pair.forceFailover();
      return () => pair.waitForDemotion();
    },
  },
];

/** Loss scenarios of the short form of the test. */
export const shortRedisLosses: readonly RedisLoss[] = [killed];
