import type { Tx } from '@switchboard/database';
import type { CredentialOwner } from './credential-owner.js';
import { recordActivity } from './user-activity.js';

/** Writes the rows of messages that soft deactivation has left out. */
export interface ReturningUsers {
  /** Resolves when no row of the user is missing any more. */
  bringBack(userId: number): Promise<void>;
}

/** Records the requests of accounts that may be away, and finds out which of them are. */
export async function withActivity(
  database: Tx,
  owners: readonly (CredentialOwner | null)[],
): Promise<(CredentialOwner | null)[]> {
  const away = await recordActivity(
    database,
    owners.flatMap((owner) => (owner?.isAway === true ? [owner.id] : [])),
  );
  return owners.map((owner) => owner && { ...owner, isAway: away.has(owner.id) });
}

/**
 * Waits until every row of an account is written, before its first request goes on. Part of the load of a credential: an
 * account in memory is not away, because credentials stay there for seconds and an absence begins after days.
 */
export async function awaitReturn(
  returning: ReturningUsers,
  found: Promise<CredentialOwner | null>,
): Promise<CredentialOwner | null> {
  const owner = await found;
  if (owner === null || !owner.isAway || !owner.isActive || owner.realmDeactivated) return owner;
  await returning.bringBack(owner.id);
  return { ...owner, isAway: false };
}
