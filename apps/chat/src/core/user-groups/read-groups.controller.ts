import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { ReadGroups } from './read-groups.query.js';
import {
  groupPathParameters,
  isMemberResponseBody,
  listGroupsResponseBody,
  listGroupsParameters,
  groupMemberPathParameters,
  membersResponseBody,
  readMembersParameters,
  readSubgroupsParameters,
  subgroupsResponseBody,
} from './user-groups.schemas.js';

const readGroupOperationOptions = { tags: ['user groups'], security: ['basic'] };

/** Endpoints that return user groups, their members and their subgroups (docs/contract/chat.md 2.F). */
@Controller('api/v1/user_groups')
export class ReadGroupsController {
  constructor(private readonly groups: ReadGroups) {}

  @Get()
  @DescribeEndpoint({
    ...readGroupOperationOptions,
    operationId: 'get-user-groups',
    scope: 'read',
    summary: 'Lists the user groups of the organization, including system groups',
    query: listGroupsParameters.published,
    responses: { 200: { description: 'The groups', schema: listGroupsResponseBody }, ...commonErrorResponses },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Parameters(listGroupsParameters) parameters: ParametersOf<typeof listGroupsParameters>,
  ) {
    return this.groups.list(actor, parameters);
  }

  @Get(':user_group_id/members')
  @DescribeEndpoint({
    ...readGroupOperationOptions,
    operationId: 'get-user-group-members',
    scope: 'read',
    summary: 'Lists the active members of a user group',
    pathParams: groupPathParameters,
    query: readMembersParameters.published,
    responses: {
      200: { description: 'Ids of the users, ascending', schema: membersResponseBody },
      ...commonErrorResponses,
    },
  })
  members(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(readMembersParameters) parameters: ParametersOf<typeof readMembersParameters>,
  ) {
    return this.groups.members(actor, groupId, parameters);
  }

  @Get(':user_group_id/members/:user_id')
  @DescribeEndpoint({
    ...readGroupOperationOptions,
    operationId: 'get-is-user-group-member',
    scope: 'read',
    summary: 'Checks whether a user is a member of a user group',
    pathParams: groupMemberPathParameters,
    query: readMembersParameters.published,
    responses: {
      200: { description: 'Whether the user is a member', schema: isMemberResponseBody },
      ...commonErrorResponses,
    },
  })
  isMember(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @PathId('user_id') userId: number,
    @Parameters(readMembersParameters) parameters: ParametersOf<typeof readMembersParameters>,
  ) {
    return this.groups.isMember(actor, groupId, userId, parameters);
  }

  @Get(':user_group_id/subgroups')
  @DescribeEndpoint({
    ...readGroupOperationOptions,
    operationId: 'get-user-group-subgroups',
    scope: 'read',
    summary: 'Lists the subgroups of a user group',
    pathParams: groupPathParameters,
    query: readSubgroupsParameters.published,
    responses: {
      200: { description: 'Ids of the users, ascending', schema: subgroupsResponseBody },
      ...commonErrorResponses,
    },
  })
  subgroups(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(readSubgroupsParameters) parameters: ParametersOf<typeof readSubgroupsParameters>,
  ) {
    return this.groups.subgroups(actor, groupId, parameters);
  }
}
