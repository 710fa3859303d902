import type { SqlReader } from '../../access/sql-reader.js';
import { z } from 'zod';
import { type GroupRecord, groupSettingValue, type GroupSettingValues } from './group-setting-value.js';

/** A user group on the wire (chat-contract 2.A). */
export const wireUserGroup = z
  .strictObject({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    date_created: z.int().nullable(),
    creator_id: z.int().nullable(),
    members: z.array(z.int()),
    direct_subgroup_ids: z.array(z.int()),
    is_system_group: z.boolean(),
    deactivated: z.boolean(),
    can_add_members_group: groupSettingValue,
    can_join_group: groupSettingValue,
    can_leave_group: groupSettingValue,
    can_manage_group: groupSettingValue,
    can_mention_group: groupSettingValue,
    can_remove_members_group: groupSettingValue,
  })
  .meta({ id: 'UserGroup' });

/** A row of `user_groups` with its direct active members and subgroups. */
export interface UserGroupRow {
  id: number;
  kind: 'system' | 'named' | 'anonymous';
  name: string | null;
  description: string;
  date_created: number | null;
  creator_id: number | null;
  deactivated: boolean;
  can_add_members_group_id: number;
  can_join_group_id: number;
  can_leave_group_id: number;
  can_manage_group_id: number;
  can_mention_group_id: number;
  can_remove_members_group_id: number;
  members: number[];
  subgroups: number[];
}

/** Every group of a realm, nameless ones included, by id: one statement. */
export async function listGroups(tx: SqlReader, realmId: number): Promise<UserGroupRow[]> {
  const { rows } = await tx.query<UserGroupRow>(
    `SELECT g.id, g.kind, g.name, g.description, floor(extract(epoch FROM g.date_created))::bigint AS date_created,
       g.creator_id, g.deactivated, g.can_add_members_group_id, g.can_join_group_id, g.can_leave_group_id,
       g.can_manage_group_id, g.can_mention_group_id, g.can_remove_members_group_id,
       ARRAY(SELECT m.user_id FROM user_group_members m JOIN users u ON u.id = m.user_id
         WHERE m.group_id = g.id AND u.is_active ORDER BY m.user_id) AS members,
       ARRAY(SELECT s.subgroup_id FROM user_group_subgroups s WHERE s.group_id = g.id ORDER BY s.subgroup_id) AS subgroups
     FROM user_groups g WHERE g.realm_id = $1 ORDER BY g.id`,
    [realmId],
  );
  return rows;
}

/** What setting values are made from. */
export function groupRecord(row: UserGroupRow): GroupRecord {
  return { id: row.id, isAnonymous: row.kind === 'anonymous', members: row.members, subgroups: row.subgroups };
}

/** A named or system group as clients see it. */
export function toWireUserGroup(row: UserGroupRow, values: GroupSettingValues): z.infer<typeof wireUserGroup> {
  return {
    id: row.id,
    name: row.name ?? '',
    description: row.description,
    date_created: row.date_created,
    creator_id: row.creator_id,
    members: row.members,
    direct_subgroup_ids: row.subgroups,
    is_system_group: row.kind === 'system',
    deactivated: row.deactivated,
    can_add_members_group: values.get(row.can_add_members_group_id),
    can_join_group: values.get(row.can_join_group_id),
    can_leave_group: values.get(row.can_leave_group_id),
    can_manage_group: values.get(row.can_manage_group_id),
    can_mention_group: values.get(row.can_mention_group_id),
    can_remove_members_group: values.get(row.can_remove_members_group_id),
  };
}
