import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ScopedApiKeysService } from './scoped-keys.action.js';
import {
  apiKeyCreationResponseBody,
  apiKeyCreationParameters,
  botApiKeyPathParameters,
  botApiKeysPathParameters,
  emptyResponseBody,
  scopedApiKeyPathParameters,
  apiKeyListResponseBody,
  emptyRequestParameters,
} from './scoped-keys.schemas.js';

const scopedApiKeyEndpointOptions = { tags: ['authentication'], security: ['basic'] };
const scopedApiKeyListResponses = {
  200: { description: 'The keys, oldest first', schema: apiKeyListResponseBody },
  ...commonErrorResponses,
};
const apiKeyCreationEndpointOptions = {
  ...scopedApiKeyEndpointOptions,
  body: createOpenApiFormBodies(apiKeyCreationParameters),
  description: 'The response contains the secret of the key, which cannot be read again.',
  responses: { 200: { description: 'The key', schema: apiKeyCreationResponseBody }, ...commonErrorResponses },
};
const scopedApiKeyRemovalResponses = {
  200: { description: 'Revoked', schema: emptyResponseBody },
  ...commonErrorResponses,
  ...notFoundErrorResponse,
};

/** Endpoints that list, create and delete scoped API keys of the user and of bots that the user manages. */
@Controller('api/v1')
export class ScopedApiKeysController {
  constructor(private readonly keys: ScopedApiKeysService) {}

  @Get('users/me/api_keys')
  @DescribeEndpoint({
    ...scopedApiKeyEndpointOptions,
    operationId: 'get-api-keys',
    summary: 'Lists the API keys with scopes of the user',
    responses: scopedApiKeyListResponses,
  })
  list(@CurrentActor() actor: CredentialOwner, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.keys.list(actor);
  }

  @Post('users/me/api_keys')
  @HttpCode(200)
  @DescribeEndpoint({
    ...apiKeyCreationEndpointOptions,
    operationId: 'create-api-key',
    summary: 'Creates an API key with scopes',
  })
  add(
    @CurrentActor() actor: CredentialOwner,
    @RequestParameters(apiKeyCreationParameters) parameters: DecodedParametersOfDefinition<
      typeof apiKeyCreationParameters
    >,
  ) {
    return this.keys.add(actor, parameters);
  }

  @Delete('users/me/api_keys/:key_id')
  @DescribeEndpoint({
    ...scopedApiKeyEndpointOptions,
    operationId: 'revoke-api-key',
    summary: 'Revokes an API key with scopes',
    pathParams: scopedApiKeyPathParameters,
    responses: scopedApiKeyRemovalResponses,
  })
  remove(
    @CurrentActor() actor: CredentialOwner,
    @IdFromUrlPath('key_id') keyId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.keys.remove(actor, keyId);
  }

  @Get('bots/:bot_id/api_keys')
  @DescribeEndpoint({
    ...scopedApiKeyEndpointOptions,
    operationId: 'get-bot-api-keys',
    summary: 'Lists the API keys with scopes of a bot',
    pathParams: botApiKeysPathParameters,
    responses: scopedApiKeyListResponses,
  })
  listOfBot(
    @CurrentActor() actor: CredentialOwner,
    @IdFromUrlPath('bot_id') botId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.keys.listOfBot(actor, botId);
  }

  @Post('bots/:bot_id/api_keys')
  @HttpCode(200)
  @DescribeEndpoint({
    ...apiKeyCreationEndpointOptions,
    operationId: 'create-bot-api-key',
    summary: 'Creates an API key with scopes for a bot',
    pathParams: botApiKeysPathParameters,
  })
  addOfBot(
    @CurrentActor() actor: CredentialOwner,
    @IdFromUrlPath('bot_id') botId: number,
    @RequestParameters(apiKeyCreationParameters) parameters: DecodedParametersOfDefinition<
      typeof apiKeyCreationParameters
    >,
  ) {
    return this.keys.addOfBot(actor, botId, parameters);
  }

  @Delete('bots/:bot_id/api_keys/:key_id')
  @DescribeEndpoint({
    ...scopedApiKeyEndpointOptions,
    operationId: 'revoke-bot-api-key',
    summary: 'Revokes an API key with scopes of a bot',
    pathParams: botApiKeyPathParameters,
    responses: scopedApiKeyRemovalResponses,
  })
  removeOfBot(
    @CurrentActor() actor: CredentialOwner,
    @IdFromUrlPath('bot_id') botId: number,
    @IdFromUrlPath('key_id') keyId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.keys.removeOfBot(actor, botId, keyId);
  }
}
