import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PushTokensService } from './push-tokens.action.js';
import { appleTokenParameters, emptyResponseBody, tokenParameters } from './push-tokens.schemas.js';

type PushTokenParameters = ParametersOf<typeof tokenParameters>;

const pushTokensTags = ['users'];
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
    tags: pushTokensTags,
    security: pushTokensSecurity,
    body: createFormBodies(appleTokenParameters),
    responses: pushTokensResponses,
  })
  addApple(
    @CurrentActor() actor: ChatActor,
    @Parameters(appleTokenParameters) { token, appid }: ParametersOf<typeof appleTokenParameters>,
  ) {
    return this.tokens.add(actor, 'apns', token, appid);
  }

  @Delete('apns_device_token')
  @DescribeEndpoint({
    operationId: 'remove-apns-token',
    summary: 'Removes an APNs token of an app of the user',
    tags: pushTokensTags,
    security: pushTokensSecurity,
    body: createFormBodies(tokenParameters),
    responses: pushTokensResponses,
  })
  removeApple(@CurrentActor() actor: ChatActor, @Parameters(tokenParameters) { token }: PushTokenParameters) {
    return this.tokens.remove(actor, 'apns', token);
  }

  @Post('android_gcm_reg_id')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-fcm-token',
    summary: 'Adds an FCM token of an app of the user',
    tags: pushTokensTags,
    security: pushTokensSecurity,
    body: createFormBodies(tokenParameters),
    responses: pushTokensResponses,
  })
  addGoogle(@CurrentActor() actor: ChatActor, @Parameters(tokenParameters) { token }: PushTokenParameters) {
    return this.tokens.add(actor, 'fcm', token, null);
  }

  @Delete('android_gcm_reg_id')
  @DescribeEndpoint({
    operationId: 'remove-fcm-token',
    summary: 'Removes an FCM token of an app of the user',
    tags: pushTokensTags,
    security: pushTokensSecurity,
    body: createFormBodies(tokenParameters),
    responses: pushTokensResponses,
  })
  removeGoogle(@CurrentActor() actor: ChatActor, @Parameters(tokenParameters) { token }: PushTokenParameters) {
    return this.tokens.remove(actor, 'fcm', token);
  }
}
