import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/auth';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../access/actor.js';
import { commonErrors } from '../../http/envelope.schemas.js';
import { Parameters, type ParametersOf } from '../../http/parameter-decorators.js';
import { PathId } from '../../http/path-id.js';
import { ReadGroups } from './read-groups.query.js';
import {
  groupPath,
  isMemberBody,
  listGroupsBody,
  listGroupsParameters,
  memberPath,
  membersBody,
  readMembersParameters,
  readSubgroupsParameters,
  subgroupsBody,
} from './user-groups.schemas.js';

const reads = { tags: ['user groups'], security: ['basic'] };

/** User groups, as they are read (docs/contract/chat.md 2.F). */
@Controller('api/v1/user_groups')
export class ReadGroupsController {
  constructor(private readonly groups: ReadGroups) {}

  @Get()
  @DescribeEndpoint({
    ...reads,
    operationId: 'get-user-groups',
    summary: 'Lists the groups of the organization, system groups included',
    query: listGroupsParameters.published,
    responses: { 200: { description: 'The groups', schema: listGroupsBody }, ...commonErrors },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Parameters(listGroupsParameters) parameters: ParametersOf<typeof listGroupsParameters>,
  ) {
    return this.groups.list(actor, parameters);
  }

  @Get(':user_group_id/members')
  @DescribeEndpoint({
    ...reads,
    operationId: 'get-user-group-members',
    summary: 'Lists the active members of a group',
    pathParams: groupPath,
    query: readMembersParameters.published,
    responses: { 200: { description: 'Their ids, ascending', schema: membersBody }, ...commonErrors },
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
    ...reads,
    operationId: 'get-is-user-group-member',
    summary: 'Says whether somebody is in a group',
    pathParams: memberPath,
    query: readMembersParameters.published,
    responses: { 200: { description: 'The answer', schema: isMemberBody }, ...commonErrors },
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
    ...reads,
    operationId: 'get-user-group-subgroups',
    summary: 'Lists the groups inside of a group',
    pathParams: groupPath,
    query: readSubgroupsParameters.published,
    responses: { 200: { description: 'Their ids, ascending', schema: subgroupsBody }, ...commonErrors },
  })
  subgroups(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(readSubgroupsParameters) parameters: ParametersOf<typeof readSubgroupsParameters>,
  ) {
    return this.groups.subgroups(actor, groupId, parameters);
  }
}
