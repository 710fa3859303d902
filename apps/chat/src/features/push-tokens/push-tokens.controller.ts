import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { PushTokensService } from './push-tokens.action.js';
import { appleTokenParameters, emptyResponseBody, pushTokenParameters } from './push-tokens.schemas.js';

type PushTokenParameters = DecodedParametersOfDefinition<typeof pushTokenParameters>;

const pushTokensOpenApiTags = ['users'];
const pushTokensSecurity = ['basic'];
const pushTokensResponses = { 200: { description: 'Done', schema: emptyResponseBody }, ...commonErrorResponses };

/** Endpoints for the push tokens of the user's apps (docs/contract/chat.md 2.I). */
@Controller('api/v1/users/me')
export class PushTokensController {
  constructor(private readonly tokens: PushTokensService) {}

  @Post('apns_device_token')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-apns-token',
    summary: 'Adds an APNs token of an app of the user',
    tags: pushTokensOpenApiTags,
    security: pushTokensSecurity,
    body: createOpenApiFormBodies(appleTokenParameters),
    responses: pushTokensResponses,
  })
  addAppleToken(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(appleTokenParameters) {
      token,
      appid,
    }: DecodedParametersOfDefinition<typeof appleTokenParameters>,
  ) {
    return this.tokens.add(actor, 'apns', token, appid);
  }

  @Delete('apns_device_token')
  @DescribeEndpoint({
    operationId: 'remove-apns-token',
    summary: 'Removes an APNs token of an app of the user',
    tags: pushTokensOpenApiTags,
    security: pushTokensSecurity,
    body: createOpenApiFormBodies(pushTokenParameters),
    responses: pushTokensResponses,
  })
  removeAppleToken(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(pushTokenParameters) { token }: PushTokenParameters,
  ) {
    return this.tokens.remove(actor, 'apns', token);
  }

  @Post('android_gcm_reg_id')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-fcm-token',
    summary: 'Adds an FCM token of an app of the user',
    tags: pushTokensOpenApiTags,
    security: pushTokensSecurity,
    body: createOpenApiFormBodies(pushTokenParameters),
    responses: pushTokensResponses,
  })
  addGoogleToken(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(pushTokenParameters) { token }: PushTokenParameters,
  ) {
    return this.tokens.add(actor, 'fcm', token, null);
  }

  @Delete('android_gcm_reg_id')
  @DescribeEndpoint({
    operationId: 'remove-fcm-token',
    summary: 'Removes an FCM token of an app of the user',
    tags: pushTokensOpenApiTags,
    security: pushTokensSecurity,
    body: createOpenApiFormBodies(pushTokenParameters),
    responses: pushTokensResponses,
  })
  removeGoogleToken(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(pushTokenParameters) { token }: PushTokenParameters,
  ) {
    return this.tokens.remove(actor, 'fcm', token);
  }
}
