import { Controller, Delete, Get, Put } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { BotStorage } from './bot-storage.action.js';

const botStorageTextsSchema = z.record(z.string(), z.string());
const botStorageKeysParameters = defineParameters(z.object({ keys: z.array(z.string()).optional() }));
const botStorageUpdateParameters = defineParameters(z.object({ storage: botStorageTextsSchema }));
const successResponses = { 200: { description: 'Done', schema: createSuccessBodySchema({}) }, ...commonErrorResponses };
const botStorageEndpointOptions = { tags: ['bots'], security: ['basic'] };

/** Endpoints with which bots read and write their stored texts (docs/contract/chat.md 2.F). */
@Controller('api/v1/bot_storage')
export class BotStorageController {
  constructor(private readonly storage: BotStorage) {}

  @Get()
  @DescribeEndpoint({
    ...botStorageEndpointOptions,
    operationId: 'get-bot-storage',
    scope: 'read',
    summary: 'Returns the stored key-value data of the user or bot',
    query: botStorageKeysParameters.published,
    responses: {
      200: {
        description: 'The stored texts by key',
        schema: createSuccessBodySchema({ storage: botStorageTextsSchema }),
      },
      ...commonErrorResponses,
    },
  })
  getStoredTexts(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(botStorageKeysParameters) {
      keys,
    }: DecodedParametersOfDefinition<typeof botStorageKeysParameters>,
  ) {
    return this.storage.getStoredTexts(actor, keys);
  }

  @Put()
  @DescribeEndpoint({
    ...botStorageEndpointOptions,
    operationId: 'update-bot-storage',
    summary: 'Stores texts by key for the user or bot; existing keys are replaced',
    body: createOpenApiFormBodies(botStorageUpdateParameters),
    responses: successResponses,
  })
  storeTexts(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(botStorageUpdateParameters) {
      storage: texts,
    }: DecodedParametersOfDefinition<typeof botStorageUpdateParameters>,
  ) {
    return this.storage.storeTexts(actor, texts);
  }

  @Delete()
  @DescribeEndpoint({
    ...botStorageEndpointOptions,
    operationId: 'remove-bot-storage',
    summary: 'Removes stored key-value data of the user or bot',
    body: createOpenApiFormBodies(botStorageKeysParameters),
    responses: successResponses,
  })
  removeStoredTexts(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(botStorageKeysParameters) {
      keys,
    }: DecodedParametersOfDefinition<typeof botStorageKeysParameters>,
  ) {
    return this.storage.removeStoredTexts(actor, keys);
  }
}
