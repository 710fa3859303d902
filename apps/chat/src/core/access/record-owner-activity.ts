import type { Queryable } from '@switchboard/database';
import type { CredentialOwner } from './credential-owner.js';
import { recordUserActivity } from './record-user-activity.js';

/** Writes the message rows that soft deactivation has omitted for users. */
export interface ReturningUserReactivation {
  /** Writes the omitted message rows of a user. Resolves when no row is missing any more. */
  writeOmittedRows(userId: number): Promise<void>;
}

/**
 * Records a request for each account that may be soft-deactivated. Sets `isAway` of the accounts to the state in the
 * database.
 */
export async function recordActivityOfOwners(
  database: Queryable,
  owners: readonly (CredentialOwner | null)[],
): Promise<(CredentialOwner | null)[]> {
  const away = await recordUserActivity(
    database,
    owners.flatMap((owner) => (owner?.isAway === true ? [owner.id] : [])),
  );
  return owners.map((owner) => owner && { ...owner, isAway: away.has(owner.id) });
}

/**
 * Waits until all missing message rows of a soft-deactivated account are written, before its first request continues.
 * Called only when a credential is loaded: a cached account cannot be soft-deactivated, because credentials are cached
 * for seconds and soft deactivation takes days.
 */
export async function awaitOmittedMessageRows(
  returning: ReturningUserReactivation,
  found: Promise<CredentialOwner | null>,
): Promise<CredentialOwner | null> {
  const owner = await found;
  if (owner === null || !owner.isAway || !owner.isActive || owner.realmDeactivated) return owner;
  await returning.writeOmittedRows(owner.id);
  return { ...owner, isAway: false };
}
