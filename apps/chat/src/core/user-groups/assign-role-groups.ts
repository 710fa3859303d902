import type { Tx } from '@switchboard/database';
import { userRoleNumbers } from '../../infra/http/chat-actor.js';
import type { SystemGroupName } from '../access/permission-settings.js';

/**
 * Maps roles to the system groups whose direct members have the role. The list omits ordinary members, because their
 * group depends on the waiting period.
 */
const systemGroupNameByRole: ReadonlyArray<readonly [number, SystemGroupName]> = [
  [userRoleNumbers.owner, 'role:owners'],
  [userRoleNumbers.administrator, 'role:administrators'],
  [userRoleNumbers.moderator, 'role:moderators'],
  [userRoleNumbers.guest, 'role:everyone'],
];

const roleSystemGroupCasesSql = systemGroupNameByRole
  .map(([number, name]) => `WHEN u.role = ${number} THEN '${name}'`)
  .join(' ');

const realmWaitingPeriodDaysSql = `coalesce((r.settings ->> 'waiting_period_threshold')::int, 0)`;

/**
 * SQL expression of the name of the system group of which the user `users u` of `realms r` is a direct member
 * (docs/contract/chat.md 6.1 and 6.2).
 */
const roleSystemGroupNameSql = `CASE ${roleSystemGroupCasesSql}
  WHEN ${realmWaitingPeriodDaysSql} > 0 AND u.date_joined > now() - make_interval(days => ${realmWaitingPeriodDaysSql}) THEN 'role:members'
  ELSE 'role:fullmembers' END`;

/** A change of a system group's members: the ids of the accounts that were added to or removed from the group. */
export interface SystemGroupMemberChange {
  readonly groupId: number;
  readonly op: 'remove' | 'add';
  /**
   * Ids of the active accounts whose membership changed, in ascending order. Deactivated accounts are omitted, because
   * clients do not see them as members.
   */
  readonly userIds: readonly number[];
}

/**
 * Moves accounts into the system groups of their roles, in one statement. Returns the changed memberships, removals
 * first.
 *
 * @param userIds null for all users of the realm, after the waiting period changed
 */
export async function assignUsersToRoleGroups(
  tx: Tx,
  realmId: number,
  userIds: readonly number[] | null,
): Promise<SystemGroupMemberChange[]> {
  const { rows } = await tx.query<SystemGroupMemberChange>(
    `WITH placed AS (
       SELECT u.id AS user_id, u.is_active, g.id AS group_id
       FROM users u JOIN realms r ON r.id = u.realm_id
       JOIN user_groups g ON g.realm_id = u.realm_id AND g.name = ${roleSystemGroupNameSql}
       WHERE u.realm_id = $1 AND NOT u.is_system_bot${userIds === null ? '' : ' AND u.id = ANY($2::int[])'}),
     left_behind AS (
       DELETE FROM user_group_members m USING placed p, user_groups g
       WHERE m.user_id = p.user_id AND g.id = m.group_id AND g.kind = 'system' AND g.id <> p.group_id
       RETURNING m.group_id, m.user_id, p.is_active),
     joined AS (
       INSERT INTO user_group_members (group_id, user_id) SELECT group_id, user_id FROM placed
       ON CONFLICT DO NOTHING RETURNING group_id, user_id)
     SELECT group_id AS "groupId", 'remove' AS op, array_agg(user_id ORDER BY user_id) AS "userIds"
     FROM left_behind WHERE is_active GROUP BY group_id
     UNION ALL
     SELECT j.group_id, 'add', array_agg(j.user_id ORDER BY j.user_id)
     FROM joined j JOIN placed p ON p.user_id = j.user_id WHERE p.is_active GROUP BY j.group_id
     ORDER BY op DESC, "groupId"`,
    userIds === null ? [realmId] : [realmId, userIds],
  );
  return rows;
}
