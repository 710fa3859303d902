import { Controller, Delete, Get, Put } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, successBody } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { BotStorage } from './bot-storage.action.js';

const botStorageTextsSchema = z.record(z.string(), z.string());
const keysParameters = defineParameters(z.object({ keys: z.array(z.string()).optional() }));
const putParameters = defineParameters(z.object({ storage: botStorageTextsSchema }));
const successResponses = { 200: { description: 'Done', schema: successBody({}) }, ...commonErrorResponses };
const operationOptions = { tags: ['bots'], security: ['basic'] };

/** Endpoints with which bots read and write their stored texts (docs/contract/chat.md 2.F). */
@Controller('api/v1/bot_storage')
export class BotStorageController {
  constructor(private readonly storage: BotStorage) {}

  @Get()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-bot-storage',
    scope: 'read',
    summary: 'Returns the stored key-value data of the user or bot',
    query: keysParameters.published,
    responses: {
      200: { description: 'The stored texts by key', schema: successBody({ storage: botStorageTextsSchema }) },
      ...commonErrorResponses,
    },
  })
  get(@CurrentActor() actor: ChatActor, @Parameters(keysParameters) { keys }: ParametersOf<typeof keysParameters>) {
    return this.storage.get(actor, keys);
  }

  @Put()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'update-bot-storage',
    summary: 'Stores texts by key for the user or bot; existing keys are replaced',
    body: createFormBodies(putParameters),
    responses: successResponses,
  })
  put(
    @CurrentActor() actor: ChatActor,
    @Parameters(putParameters) { storage: texts }: ParametersOf<typeof putParameters>,
  ) {
    return this.storage.put(actor, texts);
  }

  @Delete()
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'remove-bot-storage',
    summary: 'Removes stored key-value data of the user or bot',
    body: createFormBodies(keysParameters),
    responses: successResponses,
  })
  remove(@CurrentActor() actor: ChatActor, @Parameters(keysParameters) { keys }: ParametersOf<typeof keysParameters>) {
    return this.storage.remove(actor, keys);
  }
}
