import { z } from 'zod';
import { defineEvent, dividePayloadByLists } from '../../events/define-event-type.js';
import { groupSettingValueSchema } from './group-setting-value.js';
import { wireUserGroupSchema } from './wire-user-group.js';

const allUsersAudience = 'All users of the realm.';
const userGroupsEventType = 'user_group';

/** Event that informs users about a new user group. */
export const userGroupAddEvent = defineEvent({
  name: 'user_group/add',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: z.strictObject({ group: wireUserGroupSchema }),
}).withVariant({
  type: userGroupsEventType,
  op: 'add',
  fields: { group: wireUserGroupSchema },
  render: ({ group }) => ({ group }),
});

/** Schema of the changed fields of a user group in an event. */
const userGroupChange = z
  .strictObject({
    name: z.string(),
    description: z.string(),
    can_add_members_group: groupSettingValueSchema,
    can_join_group: groupSettingValueSchema,
    can_leave_group: groupSettingValueSchema,
    can_manage_group: groupSettingValueSchema,
    can_mention_group: groupSettingValueSchema,
    can_remove_members_group: groupSettingValueSchema,
  })
  .partial();

/**
 * Event of a changed name, description or permission of a user group. Changes of a deactivated group are emitted only
 * to clients that show deactivated groups.
 */
export const userGroupUpdateEvent = defineEvent({
  name: 'user_group/update',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: z.strictObject({ groupId: z.int(), deactivated: z.boolean(), change: userGroupChange }),
}).withVariant({
  type: userGroupsEventType,
  op: 'update',
  fields: { group_id: z.int(), data: userGroupChange },
  when: (reader, { deactivated }) => !deactivated || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, change }) => ({ group_id: groupId, data: change }),
});

const userGroupsEventDeactivation = z.strictObject({ deactivated: z.boolean() });

/**
 * Event that informs users that a user group was deactivated or reactivated. Clients that do not show deactivated
 * groups are informed that the group was removed or added.
 */
export const userGroupDeactivationEvent = defineEvent({
  name: 'user_group/update_deactivated',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: z.strictObject({ group: wireUserGroupSchema }),
})
  .withVariant({
    type: userGroupsEventType,
    op: 'update',
    fields: { group_id: z.int(), data: userGroupsEventDeactivation },
    when: (reader) => reader.capabilities.include_deactivated_groups,
    render: ({ group }) => ({ group_id: group.id, data: { deactivated: group.deactivated } }),
  })
  .withVariant({
    type: userGroupsEventType,
    op: 'remove',
    fields: { group_id: z.int() },
    when: (_reader, { group }) => group.deactivated,
    render: ({ group }) => ({ group_id: group.id }),
  })
  .withVariant({
    type: userGroupsEventType,
    op: 'add',
    fields: { group: wireUserGroupSchema },
    render: ({ group }) => ({ group }),
  });

const userGroupsEventMembers = z.strictObject({
  groupId: z.int(),
  deactivated: z.boolean(),
  userIds: z.array(z.int()),
});
const groupMemberFields = { group_id: z.int(), user_ids: z.array(z.int()) };

/** Event that informs users about new members of a user group, including members whose account was reactivated. */
export const userGroupAddMembersEvent = defineEvent({
  name: 'user_group/add_members',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: userGroupsEventMembers,
  divide: dividePayloadByLists('userIds'),
}).withVariant({
  type: userGroupsEventType,
  op: 'add_members',
  fields: groupMemberFields,
  when: (reader, { deactivated }) => !deactivated || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, userIds }) => ({ group_id: groupId, user_ids: userIds }),
});

/** Event that informs users about members who left a user group, including members whose account was deactivated. */
export const userGroupRemoveMembersEvent = defineEvent({
  name: 'user_group/remove_members',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: userGroupsEventMembers,
  divide: dividePayloadByLists('userIds'),
}).withVariant({
  type: userGroupsEventType,
  op: 'remove_members',
  fields: groupMemberFields,
  when: (reader, { deactivated }) => !deactivated || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, userIds }) => ({ group_id: groupId, user_ids: userIds }),
});

/**
 * Schema of the payload of events about subgroups. Stored events of older versions lack the field `deactivated`,
 * because older versions emitted no events about subgroups of deactivated groups.
 */
const userGroupsEventSubgroups = z.strictObject({
  groupId: z.int(),
  deactivated: z.boolean().optional(),
  subgroupIds: z.array(z.int()),
});
const groupSubgroupFields = { group_id: z.int(), direct_subgroup_ids: z.array(z.int()) };

/** Event that informs users about groups that became subgroups of a user group. */
export const userGroupAddSubgroupsEvent = defineEvent({
  name: 'user_group/add_subgroups',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: userGroupsEventSubgroups,
  divide: dividePayloadByLists('subgroupIds'),
}).withVariant({
  type: userGroupsEventType,
  op: 'add_subgroups',
  fields: groupSubgroupFields,
  when: (reader, { deactivated }) => deactivated !== true || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, subgroupIds }) => ({ group_id: groupId, direct_subgroup_ids: subgroupIds }),
});

/** Event that informs users about groups that are no longer subgroups of a user group. */
export const userGroupRemoveSubgroupsEvent = defineEvent({
  name: 'user_group/remove_subgroups',
  webhookOrder: 'type',
  audience: allUsersAudience,
  payload: userGroupsEventSubgroups,
  divide: dividePayloadByLists('subgroupIds'),
}).withVariant({
  type: userGroupsEventType,
  op: 'remove_subgroups',
  fields: groupSubgroupFields,
  when: (reader, { deactivated }) => deactivated !== true || reader.capabilities.include_deactivated_groups,
  render: ({ groupId, subgroupIds }) => ({ group_id: groupId, direct_subgroup_ids: subgroupIds }),
});

/** All types of events about user groups. */
export const userGroupEvents = [
  userGroupAddEvent,
  userGroupUpdateEvent,
  userGroupDeactivationEvent,
  userGroupAddMembersEvent,
  userGroupRemoveMembersEvent,
  userGroupAddSubgroupsEvent,
  userGroupRemoveSubgroupsEvent,
];
