import { Controller, Delete, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { DefaultChannelGroupsService } from './default-channel-groups.action.js';
import {
  addDefaultChannelGroupParameters,
  changeDefaultChannelGroupParameters,
  channelGroupSuccessResponseBody,
  defaultChannelGroupPathParameters,
  emptyRequestParameters,
  updateDefaultChannelGroupParameters,
} from './default-channel-groups.schemas.js';

const defaultChannelGroupResponses = {
  200: { description: 'Done', schema: channelGroupSuccessResponseBody },
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
    body: createOpenApiFormBodies(addDefaultChannelGroupParameters),
    responses: defaultChannelGroupResponses,
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addDefaultChannelGroupParameters) parameters: DecodedParametersOfDefinition<
      typeof addDefaultChannelGroupParameters
    >,
  ) {
    return this.groups.add(actor, parameters);
  }

  @Patch(':group_id')
  @DescribeEndpoint({
    operationId: 'update-default-stream-group',
    summary: 'Updates name and description of a default channel group',
    tags: ['channels'],
    security: ['basic'],
    pathParams: defaultChannelGroupPathParameters,
    body: createOpenApiFormBodies(updateDefaultChannelGroupParameters),
    responses: defaultChannelGroupResponses,
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('group_id') id: number,
    @RequestParameters(updateDefaultChannelGroupParameters) parameters: DecodedParametersOfDefinition<
      typeof updateDefaultChannelGroupParameters
    >,
  ) {
    return this.groups.update(actor, id, parameters);
  }

  @Delete(':group_id')
  @DescribeEndpoint({
    operationId: 'remove-default-stream-group',
    summary: 'Removes a default channel group',
    tags: ['channels'],
    security: ['basic'],
    pathParams: defaultChannelGroupPathParameters,
    responses: defaultChannelGroupResponses,
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('group_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.groups.remove(actor, id);
  }

  @Patch(':group_id/streams')
  @DescribeEndpoint({
    operationId: 'update-default-stream-group-streams',
    summary: 'Adds channels to a default channel group, or removes them',
    tags: ['channels'],
    security: ['basic'],
    pathParams: defaultChannelGroupPathParameters,
    body: createOpenApiFormBodies(changeDefaultChannelGroupParameters),
    responses: defaultChannelGroupResponses,
  })
  changeGroupChannels(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('group_id') id: number,
    @RequestParameters(changeDefaultChannelGroupParameters) parameters: DecodedParametersOfDefinition<
      typeof changeDefaultChannelGroupParameters
    >,
  ) {
    return this.groups.changeGroupChannels(actor, id, parameters);
  }
}
