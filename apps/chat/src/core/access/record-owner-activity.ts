import type { SqlStatementExecutor } from '@switchboard/database';
import type { CredentialOwner } from './credential-owner.js';
import { recordUserActivity } from './record-user-activity.js';

/** Writes the message rows that the service omitted while a user was soft-deactivated, which means absent for long. */
export interface ReturningUserReactivation {
  /** Writes the omitted message rows of a user. Resolves when all message rows of the user exist. */
  writeOmittedRows(userId: number): Promise<void>;
}

/**
 * Records the time of a request for each account that may be soft-deactivated. Returns the accounts with `isAway` set
 * to the state in the database.
 */
export async function recordActivityOfCredentialOwners(
  database: SqlStatementExecutor,
  owners: readonly (CredentialOwner | null)[],
): Promise<(CredentialOwner | null)[]> {
  const away = await recordUserActivity(
    database,
    owners.flatMap((owner) => (owner?.isAway === true ? [owner.id] : [])),
  );
  return owners.map((owner) => owner && { ...owner, isAway: away.has(owner.id) });
}

/**
 * Waits until all missing message rows of a soft-deactivated account are written, so that the account's first request
 * can continue. Called only when credentials are loaded from the database. An account with cached credentials cannot be
 * soft-deactivated, because credentials are cached for seconds and soft deactivation takes days.
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
