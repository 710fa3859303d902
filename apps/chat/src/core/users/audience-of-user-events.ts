import type { Audience } from '@switchboard/queue';
import type { SqlReader } from '../../infra/sql-reader.js';
import { listGuestsWithoutAccess } from '../access/user-visibility.js';

/** Users who receive an event about an account. */
export interface UserAudience {
  readonly audience: Audience;
  /** Ids of the guests who may not see the account. */
  readonly hiddenFrom: readonly number[];
}

/**
 * Returns the users who can see an account: all users except guests with limited visibility who may not see it.
 * Executes one SQL statement, or two statements if a guest is excluded. The caller must have locked the realm
 * membership.
 */
export async function getAudienceOfUser(tx: SqlReader, realmId: number, userId: number): Promise<UserAudience> {
  return (await getAudiencesOfUsers(tx, realmId, [userId])).get(userId) ?? { audience: { all: true }, hiddenFrom: [] };
}

/**
 * Returns the users who can see each of several accounts, see {@link getAudienceOfUser}. The number of SQL statements
 * does not depend on the number of accounts.
 */
export async function getAudiencesOfUsers(
  tx: SqlReader,
  realmId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, UserAudience>> {
  const blind = await listGuestsWithoutAccess(tx, realmId, userIds);
  const active = blind.size === 0 ? [] : await listActiveUserIds(tx, realmId);
  return new Map(
    userIds.map((id): [number, UserAudience] => {
      const hiddenFrom = blind.get(id);
      if (hiddenFrom === undefined) return [id, { audience: { all: true }, hiddenFrom: [] }];
      const hidden = new Set(hiddenFrom);
      return [id, { audience: { users: active.filter((userId) => !hidden.has(userId)) }, hiddenFrom }];
    }),
  );
}

async function listActiveUserIds(tx: SqlReader, realmId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM users WHERE realm_id = $1 AND is_active ORDER BY id',
    [realmId],
  );
  return rows.map((row) => row.id);
}
