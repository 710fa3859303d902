import type { Tx } from '@switchboard/database';

/** First key of this advisory lock; no other lock of this service uses it. */
const membershipLock = 992_102;

/**
 * Locks the users, roles and group members of a realm until the transaction ends. The audience of an event must be
 * complete (docs/contract/event-log.md 2.3): a user who joined while a channel is created would otherwise see the
 * channel neither in a snapshot nor as an event. Must be the first lock of its transaction.
 * @param mode `exclusive` for transactions that add users or change roles, states or memberships; `shared` for
 *   transactions that compute an audience.
 */
export async function lockRealmMembership(tx: Tx, realmId: number, mode: 'shared' | 'exclusive'): Promise<void> {
  const suffix = mode === 'shared' ? '_shared' : '';
  await tx.query(`SELECT pg_advisory_xact_lock${suffix}($1, $2)`, [membershipLock, realmId]);
}
