import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { FileFormDefinition } from '../../infra/http/file-upload-form.js';
import { type FormWithFiles, ParametersAndFiles } from '../../infra/http/form-schema-with-files.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { maxAvatarBytes } from '../avatars/index.js';
import {
  botSuccessResponseBody,
  botPathParameters,
  createBotBodies,
  createBotResponseBody,
  createBotParameters,
  listBotsResponseBody,
  noBotParameters,
  updateBotResponseBody,
  updateBotParameters,
} from './bots.schemas.js';
import { CreateBot } from './create-bot.action.js';
import { DeactivateBot } from './deactivate-bot.action.js';
import { ListBots } from './list-bots.query.js';
import { UpdateBot } from './update-bot.action.js';

const createBotForm = { parameters: createBotParameters, maxBytes: maxAvatarBytes };
const operationOptions = { tags: ['bots'], security: ['basic'] };

/** Endpoints that list and manage bots (docs/contract/chat.md 2.F). */
@Controller('api/v1/bots')
export class BotsController {
  constructor(
    private readonly listBots: ListBots,
    private readonly createBot: CreateBot,
    private readonly updateBot: UpdateBot,
    private readonly deactivateBot: DeactivateBot,
  ) {}

  @Get()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-bots',
    summary: "Lists the user's bots",
    responses: { 200: { description: 'The bots', schema: listBotsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noBotParameters) _parameters: object) {
    return this.listBots.run(actor);
  }

  @Post()
  @HttpCode(200)
  @FileFormDefinition()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'create-bot',
    summary: 'Creates a bot',
    body: createBotBodies,
    responses: { 200: { description: 'Made', schema: createBotResponseBody }, ...commonErrorResponses },
  })
  create(
    @CurrentActor() actor: ChatActor,
    @ParametersAndFiles(createBotForm) { values, files }: FormWithFiles<typeof createBotParameters>,
  ) {
    return this.createBot.run(actor, values, files);
  }

  @Patch(':bot_id')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'update-bot',
    summary: 'Changes a bot',
    pathParams: botPathParameters,
    body: createFormBodies(updateBotParameters),
    responses: { 200: { description: 'The changed bot', schema: updateBotResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathId('bot_id') botId: number,
    @Parameters(updateBotParameters) parameters: ParametersOf<typeof updateBotParameters>,
  ) {
    return this.updateBot.run(actor, botId, parameters);
  }

  @Delete(':bot_id')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'deactivate-bot',
    summary: 'Deactivates a bot',
    pathParams: botPathParameters,
    responses: { 200: { description: 'Done', schema: botSuccessResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @PathId('bot_id') botId: number,
    @Parameters(noBotParameters) _parameters: object,
  ) {
    return this.deactivateBot.run(actor, botId);
  }
}
