import type { Audience } from '@switchboard/queue';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { listGuestsWithoutUserAccess } from '../access/user-visibility.js';

/** Users who receive an event about an account. */
export interface UserEventAudience {
  readonly audience: Audience;
  /** Ids of the guests who may not see the account. */
  readonly hiddenFrom: readonly number[];
}

/**
 * Returns the users who can see an account: all users except guests with limited visibility who may not see it.
 * Executes one SQL statement, or two statements if a guest is excluded. The caller must have locked the realm
 * membership.
 */
export async function getAudienceOfUserEvents(
  tx: SqlQueryRunner,
  realmId: number,
  userId: number,
): Promise<UserEventAudience> {
  return (
    (await getAudiencesOfUserEvents(tx, realmId, [userId])).get(userId) ?? { audience: { all: true }, hiddenFrom: [] }
  );
}

/**
 * Returns the users who can see each of several accounts, see {@link getAudienceOfUserEvents}. The number of SQL
 * statements does not depend on the number of accounts.
 */
export async function getAudiencesOfUserEvents(
  tx: SqlQueryRunner,
  realmId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, UserEventAudience>> {
  const blind = await listGuestsWithoutUserAccess(tx, realmId, userIds);
  const active = blind.size === 0 ? [] : await listActiveUserIds(tx, realmId);
  return new Map(
    userIds.map((id): [number, UserEventAudience] => {
      const hiddenFrom = blind.get(id);
      if (hiddenFrom === undefined) return [id, { audience: { all: true }, hiddenFrom: [] }];
      const hidden = new Set(hiddenFrom);
      return [id, { audience: { users: active.filter((userId) => !hidden.has(userId)) }, hiddenFrom }];
    }),
  );
}

async function listActiveUserIds(tx: SqlQueryRunner, realmId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM users WHERE realm_id = $1 AND is_active ORDER BY id',
    [realmId],
  );
  return rows.map((row) => row.id);
}
