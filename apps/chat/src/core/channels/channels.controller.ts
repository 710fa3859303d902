import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';

import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { ArchiveChannel } from './archive-channel.action.js';
import {
  getChannelResponseBody,
  channelIdResponseBody,
  channelIdParameters,
  defaultChannelParameters,
  emptyResponseBody,
  listChannelsResponseBody,
  listChannelsParameters,
  noParameters,
  subscribersResponseBody,
  updateChannelParameters,
} from './channels.schemas.js';
import { ReadChannels } from './read-channels.query.js';
import { SetDefaultChannel } from './set-default-channel.action.js';
import { UpdateChannel } from './update-channel.action.js';

const channelPathParameters = z.object({ stream_id: z.int() });

/** Endpoints that list, read, change and archive channels (docs/contract/chat.md 2.E). */
@Controller('api/v1')
export class ChannelsController {
  constructor(
    private readonly channels: ReadChannels,
    private readonly updateChannel: UpdateChannel,
    private readonly archiveChannel: ArchiveChannel,
    private readonly setDefaultChannel: SetDefaultChannel,
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
    @Parameters(listChannelsParameters) parameters: ParametersOf<typeof listChannelsParameters>,
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
  get(@CurrentActor() actor: ChatActor, @PathId('stream_id') id: number, @Parameters(noParameters) _none: object) {
    return this.channels.get(actor, id);
  }

  @Get('get_stream_id')
  @DescribeEndpoint({
    operationId: 'get-stream-id',
    scope: 'read',
    summary: 'Returns the id of a channel by its name; the case of letters does not matter',
    tags: ['channels'],
    security: ['basic'],
    query: channelIdParameters.published,
    responses: { 200: { description: 'Id of the new object', schema: channelIdResponseBody }, ...commonErrorResponses },
  })
  getId(
    @CurrentActor() actor: ChatActor,
    @Parameters(channelIdParameters) parameters: ParametersOf<typeof channelIdParameters>,
  ) {
    return this.channels.getId(actor, parameters.stream);
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
  members(@CurrentActor() actor: ChatActor, @PathId('stream_id') id: number, @Parameters(noParameters) _none: object) {
    return this.channels.listSubscribers(actor, id);
  }

  @Patch('streams/:stream_id')
  @DescribeEndpoint({
    operationId: 'update-stream',
    summary: 'Updates a channel: name, description, privacy, permissions, retention and folder',
    tags: ['channels'],
    security: ['basic'],
    pathParams: channelPathParameters,
    body: createFormBodies(updateChannelParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathId('stream_id') id: number,
    @Parameters(updateChannelParameters) parameters: ParametersOf<typeof updateChannelParameters>,
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
  archive(@CurrentActor() actor: ChatActor, @PathId('stream_id') id: number, @Parameters(noParameters) _none: object) {
    return this.archiveChannel.run(actor, id);
  }

  @Post('default_streams')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-default-stream',
    summary: 'Adds a channel to the default channels of new users',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(defaultChannelParameters),
    responses: {
      200: { description: 'The channel is a default channel', schema: emptyResponseBody },
      ...commonErrorResponses,
    },
  })
  addDefault(
    @CurrentActor() actor: ChatActor,
    @Parameters(defaultChannelParameters) parameters: ParametersOf<typeof defaultChannelParameters>,
  ) {
    return this.setDefaultChannel.run(actor, parameters.stream_id, true);
  }

  @Delete('default_streams')
  @DescribeEndpoint({
    operationId: 'remove-default-stream',
    summary: 'Removes a channel from the default channels of new users',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(defaultChannelParameters),
    responses: {
      200: { description: 'The channel is no default channel any more', schema: emptyResponseBody },
      ...commonErrorResponses,
    },
  })
  removeDefault(
    @CurrentActor() actor: ChatActor,
    @Parameters(defaultChannelParameters) parameters: ParametersOf<typeof defaultChannelParameters>,
  ) {
    return this.setDefaultChannel.run(actor, parameters.stream_id, false);
  }
}
