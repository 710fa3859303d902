import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { RequestParameters } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ApiKeysService } from './api-keys.action.js';
import { apiKeyResponseBody, botPathParameters, emptyRequestParameters } from './bots.schemas.js';

const apiKeyEndpointOptions = {
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
    ...apiKeyEndpointOptions,
    operationId: 'regenerate-own-api-key',
    summary: 'Replaces the API key of the user',
    tags: ['authentication'],
  })
  regenerateOwnApiKey(
    @CurrentActor() actor: CredentialOwner,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.apiKeys.regenerateOwnApiKey(actor);
  }

  @Get('bots/:bot_id/api_key')
  @DescribeEndpoint({
    ...apiKeyEndpointOptions,
    operationId: 'get-bot-api-key',
    summary: 'Returns the API key of a bot',
    tags: ['bots'],
    pathParams: botPathParameters,
  })
  getBotApiKey(
    @CurrentActor() actor: CredentialOwner,
    @IdFromUrlPath('bot_id') botId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.apiKeys.getBotApiKey(actor, botId);
  }

  @Post('bots/:bot_id/api_key/regenerate')
  @HttpCode(200)
  @DescribeEndpoint({
    ...apiKeyEndpointOptions,
    operationId: 'regenerate-bot-api-key',
    summary: 'Replaces the API key of a bot',
    tags: ['bots'],
    pathParams: botPathParameters,
  })
  regenerateBotApiKey(
    @CurrentActor() actor: CredentialOwner,
    @IdFromUrlPath('bot_id') botId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.apiKeys.regenerateBotApiKey(actor, botId);
  }
}
