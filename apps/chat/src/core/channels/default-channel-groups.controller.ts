import { Controller, Delete, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { DefaultChannelGroupsService } from './default-channel-groups.action.js';
import {
  addGroupParameters,
  updateGroupChannelsParameters,
  groupSuccessResponseBody,
  groupPathParameters,
  noGroupParameters,
  updateGroupParameters,
} from './default-channel-groups.schemas.js';

const defaultChannelGroupResponses = {
  200: { description: 'Done', schema: groupSuccessResponseBody },
  ...commonErrorResponses,
};

/** Endpoints for default channel groups, which are named sets of channels for new users (docs/contract/chat.md 2.E). */
@Controller('api/v1/default_stream_groups')
export class DefaultChannelGroupsController {
  constructor(private readonly groups: DefaultChannelGroupsService) {}

  @Post('create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-default-stream-group',
    summary: 'Creates a default channel group',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(addGroupParameters),
    responses: defaultChannelGroupResponses,
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(addGroupParameters) parameters: ParametersOf<typeof addGroupParameters>,
  ) {
    return this.groups.add(actor, parameters);
  }

  @Patch(':group_id')
  @DescribeEndpoint({
    operationId: 'update-default-stream-group',
    summary: 'Updates name and description of a default channel group',
    tags: ['channels'],
    security: ['basic'],
    pathParams: groupPathParameters,
    body: createFormBodies(updateGroupParameters),
    responses: defaultChannelGroupResponses,
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathId('group_id') id: number,
    @Parameters(updateGroupParameters) parameters: ParametersOf<typeof updateGroupParameters>,
  ) {
    return this.groups.update(actor, id, parameters);
  }

  @Delete(':group_id')
  @DescribeEndpoint({
    operationId: 'remove-default-stream-group',
    summary: 'Removes a default channel group',
    tags: ['channels'],
    security: ['basic'],
    pathParams: groupPathParameters,
    responses: defaultChannelGroupResponses,
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @PathId('group_id') id: number,
    @Parameters(noGroupParameters) _parameters: object,
  ) {
    return this.groups.remove(actor, id);
  }

  @Patch(':group_id/streams')
  @DescribeEndpoint({
    operationId: 'update-default-stream-group-streams',
    summary: 'Adds channels to a default channel group, or removes them',
    tags: ['channels'],
    security: ['basic'],
    pathParams: groupPathParameters,
    body: createFormBodies(updateGroupChannelsParameters),
    responses: defaultChannelGroupResponses,
  })
  changeChannels(
    @CurrentActor() actor: ChatActor,
    @PathId('group_id') id: number,
    @Parameters(updateGroupChannelsParameters) parameters: ParametersOf<typeof updateGroupChannelsParameters>,
  ) {
    return this.groups.changeChannels(actor, id, parameters);
  }
}
