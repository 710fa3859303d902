import type { Audience } from '@switchboard/queue';
import type { SqlReader } from '../../infra/sql-reader.js';
import { listGuestsWithoutAccess } from '../access/user-visibility.js';

/** Audience of events about an account. */
export interface UserAudience {
  readonly audience: Audience;
  /** Guests who may not know of the account. */
  readonly hiddenFrom: readonly number[];
}

/**
 * Returns the users who may know of an account: all but guests with limited visibility. The caller has the population
 * lock. One statement, two where a guest is left out.
 */
export async function audienceOfUser(tx: SqlReader, realmId: number, userId: number): Promise<UserAudience> {
  return (await audiencesOfUsers(tx, realmId, [userId])).get(userId) ?? { audience: { all: true }, hiddenFrom: [] };
}

/** {@link audienceOfUser} of several accounts, at the same cost. */
export async function audiencesOfUsers(
  tx: SqlReader,
  realmId: number,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, UserAudience>> {
  const blind = await listGuestsWithoutAccess(tx, realmId, userIds);
  const active = blind.size === 0 ? [] : await listActiveIds(tx, realmId);
  return new Map(
    userIds.map((id): [number, UserAudience] => {
      const hiddenFrom = blind.get(id);
      if (hiddenFrom === undefined) return [id, { audience: { all: true }, hiddenFrom: [] }];
      const hidden = new Set(hiddenFrom);
      return [id, { audience: { users: active.filter((userId) => !hidden.has(userId)) }, hiddenFrom }];
    }),
  );
}

async function listActiveIds(tx: SqlReader, realmId: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    'SELECT id FROM users WHERE realm_id = $1 AND is_active ORDER BY id',
    [realmId],
  );
  return rows.map((row) => row.id);
}
