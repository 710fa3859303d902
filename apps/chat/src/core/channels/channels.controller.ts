import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';

import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ArchiveChannel } from './archive-channel.action.js';
import {
  getChannelResponseBody,
  getChannelIdResponseBody,
  getChannelIdParameters,
  defaultChannelParameters,
  emptyResponseBody,
  listChannelsResponseBody,
  listChannelsParameters,
  emptyRequestParameters,
  subscribersResponseBody,
  updateChannelParameters,
} from './channels.schemas.js';
import { ReadChannels } from './read-channels.query.js';
import { AddOrRemoveDefaultChannel } from './set-default-channel.action.js';
import { UpdateChannel } from './update-channel.action.js';

const channelPathParameters = z.object({ stream_id: z.int() });

/** Endpoints that list, read, change and archive channels (docs/contract/chat.md 2.E). */
@Controller('api/v1')
export class ChannelsController {
  constructor(
    private readonly channels: ReadChannels,
    private readonly updateChannel: UpdateChannel,
    private readonly archiveChannel: ArchiveChannel,
    private readonly setDefaultChannel: AddOrRemoveDefaultChannel,
  ) {}

  @Get('streams')
  @DescribeEndpoint({
    operationId: 'get-streams',
    scope: 'read',
    summary: 'Lists channels that the user can see',
    tags: ['channels'],
    security: ['basic'],
    query: listChannelsParameters.published,
    responses: {
      200: { description: 'The channels, by name', schema: listChannelsResponseBody },
      ...commonErrorResponses,
    },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(listChannelsParameters) parameters: DecodedParametersOfDefinition<typeof listChannelsParameters>,
  ) {
    return this.channels.list(actor, parameters);
  }

  @Get('streams/:stream_id')
  @DescribeEndpoint({
    operationId: 'get-stream-by-id',
    scope: 'read',
    summary: 'Returns a channel',
    tags: ['channels'],
    security: ['basic'],
    pathParams: channelPathParameters,
    responses: { 200: { description: 'The channel', schema: getChannelResponseBody }, ...commonErrorResponses },
  })
  get(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') id: number,
    @RequestParameters(emptyRequestParameters) _none: object,
  ) {
    return this.channels.get(actor, id);
  }

  @Get('get_stream_id')
  @DescribeEndpoint({
    operationId: 'get-stream-id',
    scope: 'read',
    summary: 'Returns the id of a channel by its name; the case of letters does not matter',
    tags: ['channels'],
    security: ['basic'],
    query: getChannelIdParameters.published,
    responses: {
      200: { description: 'Id of the new object', schema: getChannelIdResponseBody },
      ...commonErrorResponses,
    },
  })
  getChannelIdByName(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(getChannelIdParameters) parameters: DecodedParametersOfDefinition<typeof getChannelIdParameters>,
  ) {
    return this.channels.getChannelIdByName(actor, parameters.stream);
  }

  @Get('streams/:stream_id/members')
  @DescribeEndpoint({
    operationId: 'get-subscribers',
    scope: 'read',
    summary: 'Lists the subscribers of a channel',
    tags: ['channels'],
    security: ['basic'],
    pathParams: channelPathParameters,
    responses: {
      200: { description: 'Ids of the users, ascending', schema: subscribersResponseBody },
      ...commonErrorResponses,
    },
  })
  listChannelSubscribers(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') id: number,
    @RequestParameters(emptyRequestParameters) _none: object,
  ) {
    return this.channels.listSubscribers(actor, id);
  }

  @Patch('streams/:stream_id')
  @DescribeEndpoint({
    operationId: 'update-stream',
    summary: 'Updates a channel: name, description, privacy, permissions, retention and folder',
    tags: ['channels'],
    security: ['basic'],
    pathParams: channelPathParameters,
    body: createOpenApiFormBodies(updateChannelParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') id: number,
    @RequestParameters(updateChannelParameters) parameters: DecodedParametersOfDefinition<
      typeof updateChannelParameters
    >,
  ) {
    return this.updateChannel.run(actor, id, parameters);
  }

  @Delete('streams/:stream_id')
  @DescribeEndpoint({
    operationId: 'archive-stream',
    summary: 'Archives a channel',
    tags: ['channels'],
    security: ['basic'],
    pathParams: channelPathParameters,
    responses: { 200: { description: 'Archived', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  archive(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') id: number,
    @RequestParameters(emptyRequestParameters) _none: object,
  ) {
    return this.archiveChannel.run(actor, id);
  }

  @Post('default_streams')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-default-stream',
    summary: 'Adds a channel to the default channels of new users',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(defaultChannelParameters),
    responses: {
      200: { description: 'The channel is a default channel', schema: emptyResponseBody },
      ...commonErrorResponses,
    },
  })
  addDefaultChannel(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(defaultChannelParameters) parameters: DecodedParametersOfDefinition<
      typeof defaultChannelParameters
    >,
  ) {
    return this.setDefaultChannel.run(actor, parameters.stream_id, true);
  }

  @Delete('default_streams')
  @DescribeEndpoint({
    operationId: 'remove-default-stream',
    summary: 'Removes a channel from the default channels of new users',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(defaultChannelParameters),
    responses: {
      200: { description: 'The channel is no default channel any more', schema: emptyResponseBody },
      ...commonErrorResponses,
    },
  })
  removeDefaultChannel(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(defaultChannelParameters) parameters: DecodedParametersOfDefinition<
      typeof defaultChannelParameters
    >,
  ) {
    return this.setDefaultChannel.run(actor, parameters.stream_id, false);
  }
}
