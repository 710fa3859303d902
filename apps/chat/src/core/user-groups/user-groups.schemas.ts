import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { groupPermissionChangeSchema, groupPermissionValueSchema } from './group-setting-value.js';
import { wireUserGroupSchema } from './wire-user-group.js';

const memberOrSubgroupIdsSchema = z.array(z.int());

/** Parameters of the request GET /user_groups, which lists user groups (docs/contract/chat.md 2.F). */
export const listUserGroupsParameters = defineParameters(
  z.object({ include_deactivated_groups: z.boolean().default(false) }),
);

/** Response body of the request GET /user_groups, which lists user groups. */
export const listUserGroupsResponseBody = createSuccessBodySchema({ user_groups: z.array(wireUserGroupSchema) });

/** Parameters of POST /user_groups/create (docs/contract/chat.md 2.F). */
export const createUserGroupParameters = defineParameters(
  z.object({
    name: z.string(),
    description: z.string(),
    members: memberOrSubgroupIdsSchema,
    subgroups: memberOrSubgroupIdsSchema.default([]),
    can_add_members_group: groupPermissionValueSchema.optional(),
    can_join_group: groupPermissionValueSchema.optional(),
    can_leave_group: groupPermissionValueSchema.optional(),
    can_manage_group: groupPermissionValueSchema.optional(),
    can_mention_group: groupPermissionValueSchema.optional(),
    can_remove_members_group: groupPermissionValueSchema.optional(),
  }),
);

/** Response body of the request POST /user_groups/create, which creates a user group. */
export const createUserGroupResponseBody = createSuccessBodySchema({ group_id: z.int() });

/** Parameters of PATCH /user_groups/{user_group_id} (docs/contract/chat.md 2.F). */
export const updateUserGroupParameters = defineParameters(
  z.object({
    name: z.string().optional(),
    description: z.string().optional(),
    deactivated: z.literal(false).optional(),
    can_add_members_group: groupPermissionChangeSchema.optional(),
    can_join_group: groupPermissionChangeSchema.optional(),
    can_leave_group: groupPermissionChangeSchema.optional(),
    can_manage_group: groupPermissionChangeSchema.optional(),
    can_mention_group: groupPermissionChangeSchema.optional(),
    can_remove_members_group: groupPermissionChangeSchema.optional(),
  }),
);

/** Parameters of POST /user_groups/{user_group_id}/members (docs/contract/chat.md 2.F). */
export const changeUserGroupMembersParameters = defineParameters(
  z.object({
    add: memberOrSubgroupIdsSchema.default([]),
    delete: memberOrSubgroupIdsSchema.default([]),
    add_subgroups: memberOrSubgroupIdsSchema.default([]),
    delete_subgroups: memberOrSubgroupIdsSchema.default([]),
  }),
);

/** Parameters of POST /user_groups/{user_group_id}/subgroups (chat-4.19). */
export const changeUserGroupSubgroupsParameters = defineParameters(
  z.object({ add: memberOrSubgroupIdsSchema.default([]), delete: memberOrSubgroupIdsSchema.default([]) }),
);

/** Parameters of the request GET /user_groups/{user_group_id}/members, and of the GET request for a single member. */
export const readUserGroupMembersParameters = defineParameters(
  z.object({ direct_member_only: z.boolean().default(false) }),
);

/** Parameters of the request GET /user_groups/{user_group_id}/subgroups, which lists subgroups. */
export const readUserGroupSubgroupsParameters = defineParameters(
  z.object({ direct_subgroup_only: z.boolean().default(false) }),
);

export const userGroupMembersResponseBody = createSuccessBodySchema({ members: memberOrSubgroupIdsSchema });
export const isGroupMemberResponseBody = createSuccessBodySchema({ is_user_group_member: z.boolean() });
export const userGroupSubgroupsResponseBody = createSuccessBodySchema({ subgroups: memberOrSubgroupIdsSchema });

/** Empty parameters, for endpoints of user groups without parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));
export const userGroupSuccessResponseBody = createSuccessBodySchema({});

export const userGroupPathParameters = z.object({ user_group_id: z.int() });
export const userGroupMemberPathParameters = z.object({ user_group_id: z.int(), user_id: z.int() });
