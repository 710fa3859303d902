import { pause } from '../abortable-pause.js';
import type { ReplicatedStores } from '../stores/replicated-stores.js';

/** A scenario in which the primary database server is lost and the standby becomes the primary. */
export interface PrimaryLoss {
  readonly name: string;
  /**
   * Causes the loss of the primary. Resolves after the promotion of the standby, with a function that finally ends the
   * former primary, or null if the former primary has already ended.
   */
  run(stores: ReplicatedStores): Promise<(() => Promise<void>) | null>;
}

/** Time in milliseconds for which a resumed former primary still accepts clients before it is isolated. */
const unfencedMs = 2_000;

/** Loss scenario of the short form of the test. */
const killed: PrimaryLoss = {
  name: 'is killed',
  run: async ({ pair }) => {
    await pair.primary.kill();
    await pair.promoteStandby();
    return null;
  },
};

/** All scenarios for the loss of the primary database server. */
export const primaryLosses: readonly PrimaryLoss[] = [
  killed,
  {
    name: 'is paused and fenced later',
    run: async ({ pair }) => {
      const resume = pair.primary.pause();
      await pair.promoteStandby();
      return async () => {
        resume();
        await pause(unfencedMs);
        await pair.primary.kill();
      };
    },
  },
  {
    name: 'becomes read-only',
    run: async ({ pair, relay }) => {
      // Sessions remain open, so that only the SQLSTATE 25006 of their statements shows the loss.
      relay.endsSessions = false;
      await pair.demotePrimary();
      await pair.promoteStandby();
      return () => pair.primary.kill();
    },
  },
];

/** Loss scenarios of the short form of the test. */
export const shortPrimaryLosses: readonly PrimaryLoss[] = [killed];
