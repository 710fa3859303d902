import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { Parameters } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { ApiKeysService } from './api-keys.action.js';
import { apiKeyResponseBody, botPathParameters, noBotParameters } from './bots.schemas.js';

const operationOptions = {
  security: ['basic'],
  responses: { 200: { description: 'The key', schema: apiKeyResponseBody }, ...commonErrorResponses },
};

/** Endpoints for API keys (docs/contract/chat.md 2.B and 2.F). */
@Controller('api/v1')
export class ApiKeysController {
  constructor(private readonly apiKeys: ApiKeysService) {}

  @Post('users/me/api_key/regenerate')
  @HttpCode(200)
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'regenerate-own-api-key',
    summary: 'Replaces the API key of the user',
    tags: ['authentication'],
  })
  regenerateOwn(@CurrentActor() actor: CredentialOwner, @Parameters(noBotParameters) _parameters: object) {
    return this.apiKeys.regenerateOwn(actor);
  }

  @Get('bots/:bot_id/api_key')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-bot-api-key',
    summary: 'Returns the API key of a bot',
    tags: ['bots'],
    pathParams: botPathParameters,
  })
  get(
    @CurrentActor() actor: CredentialOwner,
    @PathId('bot_id') botId: number,
    @Parameters(noBotParameters) _parameters: object,
  ) {
    return this.apiKeys.get(actor, botId);
  }

  @Post('bots/:bot_id/api_key/regenerate')
  @HttpCode(200)
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'regenerate-bot-api-key',
    summary: 'Replaces the API key of a bot',
    tags: ['bots'],
    pathParams: botPathParameters,
  })
  regenerate(
    @CurrentActor() actor: CredentialOwner,
    @PathId('bot_id') botId: number,
    @Parameters(noBotParameters) _parameters: object,
  ) {
    return this.apiKeys.regenerate(actor, botId);
  }
}
