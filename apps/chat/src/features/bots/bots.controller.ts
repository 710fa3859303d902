import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { DescribeFileUploadForm } from '../../infra/http/file-upload-form.js';
import { type DecodedParametersWithFiles, ParametersAndFiles } from '../../infra/http/form-schema-with-files.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { maxAvatarBytes } from '../avatars/index.js';
import {
  botSuccessResponseBody,
  botPathParameters,
  botCreationBodySchemas,
  createBotResponseBody,
  createBotParameters,
  listBotsResponseBody,
  emptyRequestParameters,
  updateBotResponseBody,
  updateBotParameters,
} from './bots.schemas.js';
import { CreateBot } from './create-bot.action.js';
import { DeactivateBot } from './deactivate-bot.action.js';
import { ListOwnBots } from './list-bots.query.js';
import { UpdateBot } from './update-bot.action.js';

const botCreationFormOptions = { parameters: createBotParameters, maxBytes: maxAvatarBytes };
const botEndpointOptions = { tags: ['bots'], security: ['basic'] };

/** Endpoints that list and manage bots (docs/contract/chat.md 2.F). */
@Controller('api/v1/bots')
export class BotsController {
  constructor(
    private readonly listBots: ListOwnBots,
    private readonly createBot: CreateBot,
    private readonly updateBot: UpdateBot,
    private readonly deactivateBot: DeactivateBot,
  ) {}

  @Get()
  @DescribeEndpoint({
    ...botEndpointOptions,
    operationId: 'get-bots',
    summary: "Lists the user's bots",
    responses: { 200: { description: 'The bots', schema: listBotsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.listBots.run(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeFileUploadForm()
  @DescribeEndpoint({
    ...botEndpointOptions,
    operationId: 'create-bot',
    summary: 'Creates a bot',
    body: botCreationBodySchemas,
    responses: { 200: { description: 'Made', schema: createBotResponseBody }, ...commonErrorResponses },
  })
  create(
    @CurrentActor() actor: ChatActor,
    @ParametersAndFiles(botCreationFormOptions) {
      values,
      files,
    }: DecodedParametersWithFiles<typeof createBotParameters>,
  ) {
    return this.createBot.run(actor, values, files);
  }

  @Patch(':bot_id')
  @DescribeEndpoint({
    ...botEndpointOptions,
    operationId: 'update-bot',
    summary: 'Changes a bot',
    pathParams: botPathParameters,
    body: createOpenApiFormBodies(updateBotParameters),
    responses: { 200: { description: 'The changed bot', schema: updateBotResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('bot_id') botId: number,
    @RequestParameters(updateBotParameters) parameters: DecodedParametersOfDefinition<typeof updateBotParameters>,
  ) {
    return this.updateBot.run(actor, botId, parameters);
  }

  @Delete(':bot_id')
  @DescribeEndpoint({
    ...botEndpointOptions,
    operationId: 'deactivate-bot',
    summary: 'Deactivates a bot',
    pathParams: botPathParameters,
    responses: { 200: { description: 'Done', schema: botSuccessResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('bot_id') botId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.deactivateBot.run(actor, botId);
  }
}
