import { z } from 'zod';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import { groupPermissionValueSchema } from './group-setting-value.js';
import { wireUserGroupSchema } from './wire-user-group.js';

const allUsersEventAudience = 'All users of the realm.';
const userGroupEventTypeName = 'user_group';

/** Event that informs users about a new user group. */
export const userGroupAddEvent = defineEventType({
  name: 'user_group/add',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: z.strictObject({ group: wireUserGroupSchema }),
}).addVariant({
  type: userGroupEventTypeName,
  op: 'add',
  fields: { group: wireUserGroupSchema },
  render: ({ group }) => ({ group }),
});

/** Schema of the changed fields of a user group in an event. */
const userGroupChangeSchema = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    can_add_members_group: groupPermissionValueSchema,
    can_join_group: groupPermissionValueSchema,
    can_leave_group: groupPermissionValueSchema,
    can_manage_group: groupPermissionValueSchema,
    can_mention_group: groupPermissionValueSchema,
    can_remove_members_group: groupPermissionValueSchema,
  })
  .partial();

/**
 * Event of a changed name, description or permission of a user group. Changes of a deactivated group are emitted only
 * to clients that show deactivated groups.
 */
export const userGroupUpdateEvent = defineEventType({
  name: 'user_group/update',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: z.strictObject({ groupId: z.int(), deactivated: z.boolean(), change: userGroupChangeSchema }),
}).addVariant({
  type: userGroupEventTypeName,
  op: 'update',
  fields: { group_id: z.int(), data: userGroupChangeSchema },
  when: (reader, { deactivated }) => !deactivated || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, change }) => ({ group_id: groupId, data: change }),
});

const userGroupDeactivationFieldsSchema = z.strictObject({ deactivated: z.boolean() });

/**
 * Event that informs users that a user group was deactivated or reactivated. Clients that do not show deactivated
 * groups are informed that the group was removed or added.
 */
export const userGroupDeactivationEvent = defineEventType({
  name: 'user_group/update_deactivated',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: z.strictObject({ group: wireUserGroupSchema }),
})
  .addVariant({
    type: userGroupEventTypeName,
    op: 'update',
    fields: { group_id: z.int(), data: userGroupDeactivationFieldsSchema },
    when: (reader) => reader.capabilities.include_deactivated_groups,
    render: ({ group }) => ({ group_id: group.id, data: { deactivated: group.deactivated } }),
  })
  .addVariant({
    type: userGroupEventTypeName,
    op: 'remove',
    fields: { group_id: z.int() },
    when: (_reader, { group }) => group.deactivated,
    render: ({ group }) => ({ group_id: group.id }),
  })
  .addVariant({
    type: userGroupEventTypeName,
    op: 'add',
    fields: { group: wireUserGroupSchema },
    render: ({ group }) => ({ group }),
  });

const userGroupMembersPayloadSchema = z.strictObject({
  groupId: z.int(),
  deactivated: z.boolean(),
  userIds: z.array(z.int()),
});
const userGroupMemberEventFields = { group_id: z.int(), user_ids: z.array(z.int()) };

/** Event that informs users about new members of a user group, including members whose account was reactivated. */
export const userGroupAddMembersEvent = defineEventType({
  name: 'user_group/add_members',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: userGroupMembersPayloadSchema,
  divide: createPayloadDividerByLists('userIds'),
}).addVariant({
  type: userGroupEventTypeName,
  op: 'add_members',
  fields: userGroupMemberEventFields,
  when: (reader, { deactivated }) => !deactivated || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, userIds }) => ({ group_id: groupId, user_ids: userIds }),
});

/** Event that informs users about members who left a user group, including members whose account was deactivated. */
export const userGroupRemoveMembersEvent = defineEventType({
  name: 'user_group/remove_members',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: userGroupMembersPayloadSchema,
  divide: createPayloadDividerByLists('userIds'),
}).addVariant({
  type: userGroupEventTypeName,
  op: 'remove_members',
  fields: userGroupMemberEventFields,
  when: (reader, { deactivated }) => !deactivated || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, userIds }) => ({ group_id: groupId, user_ids: userIds }),
});

/**
 * Schema of the payload of events about subgroups. Stored events of older versions lack the field `deactivated`,
 * because older versions emitted no events about subgroups of deactivated groups.
 */
const userGroupSubgroupsPayloadSchema = z.strictObject({
  groupId: z.int(),
  deactivated: z.boolean().optional(),
  subgroupIds: z.array(z.int()),
});
const userGroupSubgroupEventFields = { group_id: z.int(), direct_subgroup_ids: z.array(z.int()) };

/** Event that informs users about groups that became subgroups of a user group. */
export const userGroupAddSubgroupsEvent = defineEventType({
  name: 'user_group/add_subgroups',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: userGroupSubgroupsPayloadSchema,
  divide: createPayloadDividerByLists('subgroupIds'),
}).addVariant({
  type: userGroupEventTypeName,
  op: 'add_subgroups',
  fields: userGroupSubgroupEventFields,
  when: (reader, { deactivated }) => deactivated !== true || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, subgroupIds }) => ({ group_id: groupId, direct_subgroup_ids: subgroupIds }),
});

/** Event that informs users about groups that are no longer subgroups of a user group. */
export const userGroupRemoveSubgroupsEvent = defineEventType({
  name: 'user_group/remove_subgroups',
  webhookOrder: 'type',
  audience: allUsersEventAudience,
  payload: userGroupSubgroupsPayloadSchema,
  divide: createPayloadDividerByLists('subgroupIds'),
}).addVariant({
  type: userGroupEventTypeName,
  op: 'remove_subgroups',
  fields: userGroupSubgroupEventFields,
  when: (reader, { deactivated }) => deactivated !== true || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, subgroupIds }) => ({ group_id: groupId, direct_subgroup_ids: subgroupIds }),
});

export const userGroupEventTypes = [
  userGroupAddEvent,
  userGroupUpdateEvent,
  userGroupDeactivationEvent,
  userGroupAddMembersEvent,
  userGroupRemoveMembersEvent,
  userGroupAddSubgroupsEvent,
  userGroupRemoveSubgroupsEvent,
];
