import { pause } from '../abortable-pause.js';
import type { ReplicatedStores } from '../stores/replicated-stores.js';

/** A way in which the primary is lost and the standby becomes the primary. */
export interface PrimaryLoss {
  readonly name: string;
  /**
   * Causes the loss. Resolves after the promotion, with a function that ends the former primary for good, or null if it
   * has ended.
   */
  run(stores: ReplicatedStores): Promise<(() => Promise<void>) | null>;
}

/** Time in milliseconds for which a resumed former primary runs before it is fenced. */
const unfencedMs = 2_000;

/** The loss in the short form of the suite. */
const killed: PrimaryLoss = {
  name: 'is killed',
  run: async ({ pair }) => {
    await pair.primary.kill();
    await pair.promoteStandby();
    return null;
  },
};

/** All losses. */
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

/** Losses of the short form of the suite. */
export const shortPrimaryLosses: readonly PrimaryLoss[] = [killed];
