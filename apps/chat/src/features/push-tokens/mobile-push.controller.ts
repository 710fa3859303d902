import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PushTokensService } from './push-tokens.action.js';
import {
  emptyResponseBody,
  encryptedTestParameters,
  registerPushParameters,
  testNotificationParameters,
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
    body: createFormBodies(registerPushParameters),
    responses: mobilePushResponses,
  })
  register(@CurrentActor() actor: ChatActor, @Parameters(registerPushParameters) _parameters: object) {
    return this.tokens.register(actor);
  }

  @Post('test_notification')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'test-notify',
    summary: 'Sends a test notification to apps of the user; refused, since the server has no push service',
    tags: mobilePushTags,
    security: mobilePushSecurity,
    body: createFormBodies(testNotificationParameters),
    responses: mobilePushResponses,
  })
  test(
    @CurrentActor() actor: ChatActor,
    @Parameters(testNotificationParameters) { token }: ParametersOf<typeof testNotificationParameters>,
  ) {
    return this.tokens.test(actor, token);
  }

  @Post('e2ee/test_notification')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'e2ee-test-notify',
    summary: 'Sends an encrypted test notification to devices of the user; refused, since none is registered',
    tags: mobilePushTags,
    security: mobilePushSecurity,
    body: createFormBodies(encryptedTestParameters),
    responses: mobilePushResponses,
  })
  testEncrypted(@CurrentActor() actor: ChatActor, @Parameters(encryptedTestParameters) _parameters: object) {
    return this.tokens.testEncrypted(actor);
  }
}
