import { Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import {
  channelFolderCreationResponseBody,
  channelFolderCreationParameters,
  emptyResponseBody,
  channelFolderListResponseBody,
  channelFolderListParameters,
  channelFolderOrderParameters,
  channelFolderUpdateParameters,
} from './channel-folders.schemas.js';
import { ChannelFoldersService } from './channel-folders.action.js';

/** Endpoints for channel folders (chat-4.8, docs/contract/chat.md 2.E). */
@Controller('api/v1/channel_folders')
export class ChannelFoldersController {
  constructor(private readonly folders: ChannelFoldersService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-channel-folders',
    scope: 'read',
    summary: 'Lists the channel folders in their order',
    tags: ['channels'],
    security: ['basic'],
    query: channelFolderListParameters.published,
    responses: { 200: { description: 'The folders', schema: channelFolderListResponseBody }, ...commonErrorResponses },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(channelFolderListParameters) parameters: DecodedParametersOfDefinition<
      typeof channelFolderListParameters
    >,
  ) {
    return this.folders.list(actor, parameters.include_archived);
  }

  @Post('create')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-channel-folder',
    summary: 'Creates a channel folder',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(channelFolderCreationParameters),
    responses: {
      200: { description: 'Id of the new object', schema: channelFolderCreationResponseBody },
      ...commonErrorResponses,
    },
  })
  create(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(channelFolderCreationParameters) parameters: DecodedParametersOfDefinition<
      typeof channelFolderCreationParameters
    >,
  ) {
    return this.folders.create(actor, parameters);
  }

  @Patch()
  @DescribeEndpoint({
    operationId: 'reorder-channel-folders',
    summary: 'Reorders the channel folders',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(channelFolderOrderParameters),
    responses: { 200: { description: 'The order is stored', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  reorder(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(channelFolderOrderParameters) parameters: DecodedParametersOfDefinition<
      typeof channelFolderOrderParameters
    >,
  ) {
    return this.folders.reorder(actor, parameters.order);
  }

  @Patch(':channel_folder_id')
  @DescribeEndpoint({
    operationId: 'update-channel-folder',
    summary: 'Updates, archives or restores a channel folder',
    tags: ['channels'],
    security: ['basic'],
    pathParams: z.object({ channel_folder_id: z.int() }),
    body: createOpenApiFormBodies(channelFolderUpdateParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('channel_folder_id') id: number,
    @RequestParameters(channelFolderUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof channelFolderUpdateParameters
    >,
  ) {
    return this.folders.update(actor, id, parameters);
  }
}
