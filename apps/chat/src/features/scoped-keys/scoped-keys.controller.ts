import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { ScopedKeysService } from './scoped-keys.action.js';
import {
  addKeyResponseBody,
  addKeyParameters,
  botKeyPathParameters,
  botKeysPathParameters,
  emptyResponseBody,
  keyPathParameters,
  listKeysResponseBody,
  noParameters,
} from './scoped-keys.schemas.js';

const operationOptions = { tags: ['authentication'], security: ['basic'] };
const listKeysResponses = {
  200: { description: 'The keys, oldest first', schema: listKeysResponseBody },
  ...commonErrorResponses,
};
const addKeyOperationOptions = {
  ...operationOptions,
  body: createFormBodies(addKeyParameters),
  description: 'The response contains the secret of the key, which cannot be read again.',
  responses: { 200: { description: 'The key', schema: addKeyResponseBody }, ...commonErrorResponses },
};
const removeKeyResponses = {
  200: { description: 'Revoked', schema: emptyResponseBody },
  ...commonErrorResponses,
  ...notFoundErrorResponse,
};

/** Endpoints that list, create and delete scoped API keys of the user and of bots that the user manages. */
@Controller('api/v1')
export class ScopedKeysController {
  constructor(private readonly keys: ScopedKeysService) {}

  @Get('users/me/api_keys')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-api-keys',
    summary: 'Lists the API keys with scopes of the user',
    responses: listKeysResponses,
  })
  list(@CurrentActor() actor: CredentialOwner, @Parameters(noParameters) _parameters: object) {
    return this.keys.list(actor);
  }

  @Post('users/me/api_keys')
  @HttpCode(200)
  @DescribeEndpoint({
    ...addKeyOperationOptions,
    operationId: 'create-api-key',
    summary: 'Creates an API key with scopes',
  })
  add(
    @CurrentActor() actor: CredentialOwner,
    @Parameters(addKeyParameters) parameters: ParametersOf<typeof addKeyParameters>,
  ) {
    return this.keys.add(actor, parameters);
  }

  @Delete('users/me/api_keys/:key_id')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'revoke-api-key',
    summary: 'Revokes an API key with scopes',
    pathParams: keyPathParameters,
    responses: removeKeyResponses,
  })
  remove(
    @CurrentActor() actor: CredentialOwner,
    @PathId('key_id') keyId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.keys.remove(actor, keyId);
  }

  @Get('bots/:bot_id/api_keys')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'get-bot-api-keys',
    summary: 'Lists the API keys with scopes of a bot',
    pathParams: botKeysPathParameters,
    responses: listKeysResponses,
  })
  listOfBot(
    @CurrentActor() actor: CredentialOwner,
    @PathId('bot_id') botId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.keys.listOfBot(actor, botId);
  }

  @Post('bots/:bot_id/api_keys')
  @HttpCode(200)
  @DescribeEndpoint({
    ...addKeyOperationOptions,
    operationId: 'create-bot-api-key',
    summary: 'Creates an API key with scopes for a bot',
    pathParams: botKeysPathParameters,
  })
  addOfBot(
    @CurrentActor() actor: CredentialOwner,
    @PathId('bot_id') botId: number,
    @Parameters(addKeyParameters) parameters: ParametersOf<typeof addKeyParameters>,
  ) {
    return this.keys.addOfBot(actor, botId, parameters);
  }

  @Delete('bots/:bot_id/api_keys/:key_id')
  @DescribeEndpoint({
    ...operationOptions,
    operationId: 'revoke-bot-api-key',
    summary: 'Revokes an API key with scopes of a bot',
    pathParams: botKeyPathParameters,
    responses: removeKeyResponses,
  })
  removeOfBot(
    @CurrentActor() actor: CredentialOwner,
    @PathId('bot_id') botId: number,
    @PathId('key_id') keyId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.keys.removeOfBot(actor, botId, keyId);
  }
}
