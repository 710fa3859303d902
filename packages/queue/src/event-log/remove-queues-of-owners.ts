import type { EventLogStore } from './event-log-store.js';

/**
 * Number of owners whose event queues one Redis script deletes. A script for this number takes about 10 ms, during
 * which Redis runs no other command.
 */
const OWNERS_PER_SCRIPT = 500;

/**
 * Deletes all event queues of the given owners, in batches. Returns the number of deleted queues.
 *
 * @param addsMissingIndexEntries true if queues may be missing in the index by owner
 */
export async function removeQueuesOfOwnersInBatches(
  store: EventLogStore,
  realm: string,
  owners: readonly string[],
  addsMissingIndexEntries: boolean,
): Promise<number> {
  let count = 0;
  for (let at = 0; at < owners.length; at += OWNERS_PER_SCRIPT) {
    // Each run indexes missing queues, so that at most the first run has to examine all queues.
    const indexes = addsMissingIndexEntries && at === 0;
    count += await store.removeQueuesOfOwners(realm, owners.slice(at, at + OWNERS_PER_SCRIPT), indexes);
  }
  return count;
}
