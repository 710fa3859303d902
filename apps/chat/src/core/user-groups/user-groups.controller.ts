import { Controller, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { ChangeGroupMembers } from './change-members.action.js';
import { CreateGroup } from './create-group.action.js';
import { DeactivateGroup } from './deactivate-group.action.js';
import { UpdateGroup } from './update-group.action.js';
import {
  changeMembersParameters,
  changeSubgroupsParameters,
  createGroupResponseBody,
  createGroupParameters,
  groupDoneResponseBody,
  groupPathParameters,
  noGroupParameters,
  updateGroupParameters,
} from './user-groups.schemas.js';

const userGroupsResponses = { 200: { description: 'Done', schema: groupDoneResponseBody }, ...commonErrorResponses };
const groupChangeResponses = {
  tags: ['user groups'],
  security: ['basic'],
  pathParams: groupPathParameters,
  responses: userGroupsResponses,
};

/** Endpoints that create and change user groups (docs/contract/chat.md 2.F). */
@Controller('api/v1/user_groups')
export class UserGroupsController {
  constructor(
    private readonly createGroup: CreateGroup,
    private readonly updateGroup: UpdateGroup,
    private readonly deactivateGroup: DeactivateGroup,
    private readonly changeMembers: ChangeGroupMembers,
  ) {}

  @Post('create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-user-group',
    summary: 'Creates a user group',
    tags: ['user groups'],
    security: ['basic'],
    body: createFormBodies(createGroupParameters),
    responses: { 200: { description: 'Made', schema: createGroupResponseBody }, ...commonErrorResponses },
  })
  create(
    @CurrentActor() actor: ChatActor,
    @Parameters(createGroupParameters) parameters: ParametersOf<typeof createGroupParameters>,
  ) {
    return this.createGroup.run(actor, parameters);
  }

  @Patch(':user_group_id')
  @DescribeEndpoint({
    ...groupChangeResponses,
    operationId: 'update-user-group',
    summary: 'Updates or reactivates a user group',
    body: createFormBodies(updateGroupParameters),
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(updateGroupParameters) parameters: ParametersOf<typeof updateGroupParameters>,
  ) {
    return this.updateGroup.run(actor, groupId, parameters);
  }

  @Post(':user_group_id/deactivate')
  @HttpCode(200)
  @DescribeEndpoint({
    ...groupChangeResponses,
    operationId: 'deactivate-user-group',
    summary: 'Deactivates a user group',
  })
  deactivate(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(noGroupParameters) _parameters: object,
  ) {
    return this.deactivateGroup.run(actor, groupId);
  }

  @Post(':user_group_id/members')
  @HttpCode(200)
  @DescribeEndpoint({
    ...groupChangeResponses,
    operationId: 'update-user-group-members',
    summary: 'Updates the members and subgroups of a user group',
    body: createFormBodies(changeMembersParameters),
  })
  members(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(changeMembersParameters) parameters: ParametersOf<typeof changeMembersParameters>,
  ) {
    return this.changeMembers.run(actor, groupId, parameters);
  }

  @Post(':user_group_id/subgroups')
  @HttpCode(200)
  @DescribeEndpoint({
    ...groupChangeResponses,
    operationId: 'update-user-group-subgroups',
    summary: 'Updates the subgroups of a user group',
    body: createFormBodies(changeSubgroupsParameters),
  })
  subgroups(
    @CurrentActor() actor: ChatActor,
    @PathId('user_group_id') groupId: number,
    @Parameters(changeSubgroupsParameters) parameters: ParametersOf<typeof changeSubgroupsParameters>,
  ) {
    const { add, delete: removed } = parameters;
    return this.changeMembers.run(actor, groupId, {
      add: [],
      delete: [],
      add_subgroups: add,
      delete_subgroups: removed,
    });
  }
}
