import type { Tx } from '@switchboard/database';

/** Any number that no other advisory lock of this service uses as its first key. */
const membershipLock = 992_102;

/**
 * Holds still, until the transaction ends, who is in a realm and in its groups. An event's audience has to be complete
 * (docs/contract/event-log.md 2.3): a user who joined while a channel was being made would otherwise have it neither
 * in a snapshot nor as an event. Has to be the first lock of its transaction.
 *
 * @param mode `exclusive` for those who add people or change roles, states or memberships; `shared` for those who
 *   compute an audience.
 */
export async function lockRealmMembership(tx: Tx, realmId: number, mode: 'shared' | 'exclusive'): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  await tx.query(`SELECT pg_advisory_xact_lock${suffix}($1, $2)`, [membershipLock, realmId]);
}
