import { Controller, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ChangeUserGroupMembers } from './change-members.action.js';
import { CreateUserGroup } from './create-group.action.js';
import { DeactivateUserGroup } from './deactivate-group.action.js';
import { UpdateUserGroup } from './update-group.action.js';
import {
  changeUserGroupMembersParameters,
  changeUserGroupSubgroupsParameters,
  createUserGroupResponseBody,
  createUserGroupParameters,
  userGroupSuccessResponseBody,
  userGroupPathParameters,
  emptyRequestParameters,
  updateUserGroupParameters,
} from './user-groups.schemas.js';

const userGroupsEndpointResponses = {
  200: { description: 'Done', schema: userGroupSuccessResponseBody },
  ...commonErrorResponses,
};
const userGroupChangeEndpointDescription = {
  tags: ['user groups'],
  security: ['basic'],
  pathParams: userGroupPathParameters,
  responses: userGroupsEndpointResponses,
};

/** Endpoints that create and change user groups (docs/contract/chat.md 2.F). */
@Controller('api/v1/user_groups')
export class UserGroupsController {
  constructor(
    private readonly createGroup: CreateUserGroup,
    private readonly updateGroup: UpdateUserGroup,
    private readonly deactivateGroup: DeactivateUserGroup,
    private readonly changeMembers: ChangeUserGroupMembers,
  ) {}

  @Post('create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-user-group',
    summary: 'Creates a user group',
    tags: ['user groups'],
    security: ['basic'],
    body: createOpenApiFormBodies(createUserGroupParameters),
    responses: { 200: { description: 'Made', schema: createUserGroupResponseBody }, ...commonErrorResponses },
  })
  create(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(createUserGroupParameters) parameters: DecodedParametersOfDefinition<
      typeof createUserGroupParameters
    >,
  ) {
    return this.createGroup.run(actor, parameters);
  }

  @Patch(':user_group_id')
  @DescribeEndpoint({
    ...userGroupChangeEndpointDescription,
    operationId: 'update-user-group',
    summary: 'Updates or reactivates a user group',
    body: createOpenApiFormBodies(updateUserGroupParameters),
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @RequestParameters(updateUserGroupParameters) parameters: DecodedParametersOfDefinition<
      typeof updateUserGroupParameters
    >,
  ) {
    return this.updateGroup.run(actor, groupId, parameters);
  }

  @Post(':user_group_id/deactivate')
  @HttpCode(200)
  @DescribeEndpoint({
    ...userGroupChangeEndpointDescription,
    operationId: 'deactivate-user-group',
    summary: 'Deactivates a user group',
  })
  deactivate(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.deactivateGroup.run(actor, groupId);
  }

  @Post(':user_group_id/members')
  @HttpCode(200)
  @DescribeEndpoint({
    ...userGroupChangeEndpointDescription,
    operationId: 'update-user-group-members',
    summary: 'Updates the members and subgroups of a user group',
    body: createOpenApiFormBodies(changeUserGroupMembersParameters),
  })
  changeGroupMembers(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @RequestParameters(changeUserGroupMembersParameters) parameters: DecodedParametersOfDefinition<
      typeof changeUserGroupMembersParameters
    >,
  ) {
    return this.changeMembers.run(actor, groupId, parameters);
  }

  @Post(':user_group_id/subgroups')
  @HttpCode(200)
  @DescribeEndpoint({
    ...userGroupChangeEndpointDescription,
    operationId: 'update-user-group-subgroups',
    summary: 'Updates the subgroups of a user group',
    body: createOpenApiFormBodies(changeUserGroupSubgroupsParameters),
  })
  changeGroupSubgroups(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_group_id') groupId: number,
    @RequestParameters(changeUserGroupSubgroupsParameters) parameters: DecodedParametersOfDefinition<
      typeof changeUserGroupSubgroupsParameters
    >,
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
