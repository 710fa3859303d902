import type { Queryable } from '@switchboard/database';
import type { CredentialOwner } from './credential-owner.js';
import { recordActivity } from './user-activity.js';

/** Writes the rows of messages that soft deactivation has left out. */
export interface ReturningUsers {
  /** Resolves when no row of the user is missing any more. */
  bringBack(userId: number): Promise<void>;
}

/** Records the requests of accounts that may be away, and finds out which of them are. */
export async function withActivity(
  database: Queryable,
  owners: readonly (CredentialOwner | null)[],
): Promise<(CredentialOwner | null)[]> {
  const away = await recordActivity(
    database,
    owners.flatMap((owner) => (owner?.isAway === true ? [owner.id] : [])),
  );
  return owners.map((owner) => owner && { ...owner, isAway: away.has(owner.id) });
}

/**
 * Waits until all missing message rows of a soft-deactivated account are written, before its first request continues.
 * Part of loading a credential: cached accounts are active, because credentials are cached for seconds and soft
 * deactivation takes days.
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
