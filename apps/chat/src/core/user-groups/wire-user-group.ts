import { z } from 'zod';
import {
  type UserGroupWithMembers,
  groupPermissionValueSchema,
  type PermissionValueByGroupId,
} from './group-setting-value.js';
import type { UserGroupRow } from './user-groups.repository.js';

/** Schema of a user group in the API (docs/contract/chat.md 2.A). */
export const wireUserGroupSchema = z
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
    can_add_members_group: groupPermissionValueSchema,
    can_join_group: groupPermissionValueSchema,
    can_leave_group: groupPermissionValueSchema,
    can_manage_group: groupPermissionValueSchema,
    can_mention_group: groupPermissionValueSchema,
    can_remove_members_group: groupPermissionValueSchema,
  })
  .meta({ id: 'UserGroup' });

export type WireUserGroup = z.infer<typeof wireUserGroupSchema>;

/** Returns the properties of a user group that {@link PermissionValueByGroupId} uses to convert permissions. */
export function toUserGroupWithMembers(row: UserGroupRow): UserGroupWithMembers {
  return { id: row.id, isAnonymous: row.kind === 'anonymous', members: row.members, subgroups: row.subgroups };
}

/** Converts the row of a named or system group to the JSON form of the API. */
export function toWireUserGroup(row: UserGroupRow, values: PermissionValueByGroupId): WireUserGroup {
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
    can_add_members_group: values.getPermissionValue(row.can_add_members_group_id),
    can_join_group: values.getPermissionValue(row.can_join_group_id),
    can_leave_group: values.getPermissionValue(row.can_leave_group_id),
    can_manage_group: values.getPermissionValue(row.can_manage_group_id),
    can_mention_group: values.getPermissionValue(row.can_mention_group_id),
    can_remove_members_group: values.getPermissionValue(row.can_remove_members_group_id),
  };
}
