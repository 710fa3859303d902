import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ReadUserGroups } from './read-groups.query.js';
import {
  userGroupPathParameters,
  isGroupMemberResponseBody,
  listUserGroupsResponseBody,
  listUserGroupsParameters,
  userGroupMemberPathParameters,
  userGroupMembersResponseBody,
  readUserGroupMembersParameters,
  readUserGroupSubgroupsParameters,
  userGroupSubgroupsResponseBody,
} from './user-groups.schemas.js';

const readUserGroupEndpointDescription = { tags: ['user groups'], security: ['basic'] };

/** Endpoints that return user groups, their members and subgroups (docs/contract/chat.md 2.F). */
@Controller('api/v1/user_groups')
export class ReadUserGroupsController {
  constructor(private readonly groups: ReadUserGroups) {}

  @Get()
  @DescribeEndpoint({
    ...readUserGroupEndpointDescription,
    operationId: 'get-user-groups',
    scope: 'read',
    summary: 'Lists the user groups of the organization, including system groups',
    query: listUserGroupsParameters.published,
    responses: { 200: { description: 'The groups', schema: listUserGroupsResponseBody }, ...commonErrorResponses },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(listUserGroupsParameters) parameters: DecodedParametersOfDefinition<
      typeof listUserGroupsParameters
    >,
  ) {
    return this.groups.list(actor, parameters);
  }

  @Get(':user_group_id/members')
  @DescribeEndpoint({
    ...readUserGroupEndpointDescription,
    operationId: 'get-user-group-members',
    scope: 'read',
    summary: 'Lists the active members of a user group',
    pathParams: userGroupPathParameters,
    query: readUserGroupMembersParameters.published,
    responses: {
      200: { description: 'Ids of the users, ascending', schema: userGroupMembersResponseBody },
      ...commonErrorResponses,
    },
  })
  listGroupMembers(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @RequestParameters(readUserGroupMembersParameters) parameters: DecodedParametersOfDefinition<
      typeof readUserGroupMembersParameters
    >,
  ) {
    return this.groups.listMembers(actor, groupId, parameters);
  }

  @Get(':user_group_id/members/:user_id')
  @DescribeEndpoint({
    ...readUserGroupEndpointDescription,
    operationId: 'get-is-user-group-member',
    scope: 'read',
    summary: 'Checks whether a user is a member of a user group',
    pathParams: userGroupMemberPathParameters,
    query: readUserGroupMembersParameters.published,
    responses: {
      200: { description: 'Whether the user is a member', schema: isGroupMemberResponseBody },
      ...commonErrorResponses,
    },
  })
  isGroupMember(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @IdFromUrlPath('user_id') userId: number,
    @RequestParameters(readUserGroupMembersParameters) parameters: DecodedParametersOfDefinition<
      typeof readUserGroupMembersParameters
    >,
  ) {
    return this.groups.isMember(actor, groupId, userId, parameters);
  }

  @Get(':user_group_id/subgroups')
  @DescribeEndpoint({
    ...readUserGroupEndpointDescription,
    operationId: 'get-user-group-subgroups',
    scope: 'read',
    summary: 'Lists the subgroups of a user group',
    pathParams: userGroupPathParameters,
    query: readUserGroupSubgroupsParameters.published,
    responses: {
      200: { description: 'Ids of the users, ascending', schema: userGroupSubgroupsResponseBody },
      ...commonErrorResponses,
    },
  })
  listGroupSubgroups(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @RequestParameters(readUserGroupSubgroupsParameters) parameters: DecodedParametersOfDefinition<
      typeof readUserGroupSubgroupsParameters
    >,
  ) {
    return this.groups.listSubgroups(actor, groupId, parameters);
  }
}
