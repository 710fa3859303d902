import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { groupSettingChangeSchema, groupSettingValueSchema } from './group-setting-value.js';
import { wireUserGroupSchema } from './wire-user-group.js';

const userGroupsIdsSchemas = z.array(z.int());

/** Parameters of the request GET /user_groups, which lists user groups (docs/contract/chat.md 2.F). */
export const listGroupsParameters = defineParameters(
  z.object({ include_deactivated_groups: z.boolean().default(false) }),
);

/** Response body of the request GET /user_groups, which lists user groups. */
export const listGroupsResponseBody = successBody({ user_groups: z.array(wireUserGroupSchema) });

/** Parameters of POST /user_groups/create (docs/contract/chat.md 2.F). */
export const createGroupParameters = defineParameters(
  z.object({
    name: z.string(),
    description: z.string(),
    members: userGroupsIdsSchemas,
    subgroups: userGroupsIdsSchemas.default([]),
    can_add_members_group: groupSettingValueSchema.optional(),
    can_join_group: groupSettingValueSchema.optional(),
    can_leave_group: groupSettingValueSchema.optional(),
    can_manage_group: groupSettingValueSchema.optional(),
    can_mention_group: groupSettingValueSchema.optional(),
    can_remove_members_group: groupSettingValueSchema.optional(),
  }),
);

/** Response body of the request POST /user_groups/create, which creates a user group. */
export const createGroupResponseBody = successBody({ group_id: z.int() });

/** Parameters of PATCH /user_groups/{user_group_id} (docs/contract/chat.md 2.F). */
export const updateGroupParameters = defineParameters(
  z.object({
    name: z.string().optional(),
    description: z.string().optional(),
    deactivated: z.literal(false).optional(),
    can_add_members_group: groupSettingChangeSchema.optional(),
    can_join_group: groupSettingChangeSchema.optional(),
    can_leave_group: groupSettingChangeSchema.optional(),
    can_manage_group: groupSettingChangeSchema.optional(),
    can_mention_group: groupSettingChangeSchema.optional(),
    can_remove_members_group: groupSettingChangeSchema.optional(),
  }),
);

/** Parameters of POST /user_groups/{user_group_id}/members (docs/contract/chat.md 2.F). */
export const changeMembersParameters = defineParameters(
  z.object({
    add: userGroupsIdsSchemas.default([]),
    delete: userGroupsIdsSchemas.default([]),
    add_subgroups: userGroupsIdsSchemas.default([]),
    delete_subgroups: userGroupsIdsSchemas.default([]),
  }),
);

/** Parameters of POST /user_groups/{user_group_id}/subgroups (chat-4.19). */
export const changeSubgroupsParameters = defineParameters(
  z.object({ add: userGroupsIdsSchemas.default([]), delete: userGroupsIdsSchemas.default([]) }),
);

/** Parameters of the request GET /user_groups/{user_group_id}/members, and of the GET request for a single member. */
export const readMembersParameters = defineParameters(z.object({ direct_member_only: z.boolean().default(false) }));

/** Parameters of the request GET /user_groups/{user_group_id}/subgroups, which lists subgroups. */
export const readSubgroupsParameters = defineParameters(z.object({ direct_subgroup_only: z.boolean().default(false) }));

export const membersResponseBody = successBody({ members: userGroupsIdsSchemas });
export const isMemberResponseBody = successBody({ is_user_group_member: z.boolean() });
export const subgroupsResponseBody = successBody({ subgroups: userGroupsIdsSchemas });

/** Empty parameters, for endpoints of user groups without parameters. */
export const noGroupParameters = defineParameters(z.object({}));
export const groupDoneResponseBody = successBody({});

export const groupPathParameters = z.object({ user_group_id: z.int() });
export const groupMemberPathParameters = z.object({ user_group_id: z.int(), user_id: z.int() });
