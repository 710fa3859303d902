import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { PushTokensService } from './push-tokens.action.js';
import {
  emptyResponseBody,
  encryptedTestNotificationParameters,
  pushDeviceRegistrationParameters,
  testPushNotificationParameters,
} from './push-tokens.schemas.js';

const mobilePushTags = ['users'];
const mobilePushSecurity = ['basic'];
const mobilePushResponses = {
  200: {
    description: 'Sent or registered; this server has no push service and never responds so',
    schema: emptyResponseBody,
  },
  ...commonErrorResponses,
};

/** Endpoints for mobile push notifications. The endpoints return errors, because this server has no push service. */
@Controller('api/v1/mobile_push')
export class MobilePushController {
  constructor(private readonly tokens: PushTokensService) {}

  @Post('register')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'register-push-device',
    summary: 'Registers a device for encrypted push notifications; refused, since the server has no push service',
    tags: mobilePushTags,
    security: mobilePushSecurity,
    body: createOpenApiFormBodies(pushDeviceRegistrationParameters),
    responses: mobilePushResponses,
  })
  registerDevice(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(pushDeviceRegistrationParameters) _parameters: object,
  ) {
    return this.tokens.throwDeviceRegistrationError(actor);
  }

  @Post('test_notification')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'test-notify',
    summary: 'Sends a test notification to apps of the user; refused, since the server has no push service',
    tags: mobilePushTags,
    security: mobilePushSecurity,
    body: createOpenApiFormBodies(testPushNotificationParameters),
    responses: mobilePushResponses,
  })
  sendTestNotification(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(testPushNotificationParameters) {
      token,
    }: DecodedParametersOfDefinition<typeof testPushNotificationParameters>,
  ) {
    return this.tokens.throwTestNotificationError(actor, token);
  }

  @Post('e2ee/test_notification')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'e2ee-test-notify',
    summary: 'Sends an encrypted test notification to devices of the user; refused, since none is registered',
    tags: mobilePushTags,
    security: mobilePushSecurity,
    body: createOpenApiFormBodies(encryptedTestNotificationParameters),
    responses: mobilePushResponses,
  })
  sendEncryptedTestNotification(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(encryptedTestNotificationParameters) _parameters: object,
  ) {
    return this.tokens.throwEncryptedNotificationError(actor);
  }
}
