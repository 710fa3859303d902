import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { SendWelcomePreview } from './send-welcome-preview.action.js';

const welcomeMessagePreviewParameters = defineParameters(
  z.object({ welcome_message_custom_text: z.string().max(8000) }),
);
const welcomeMessagePreviewResponseBody = createSuccessBodySchema({ message_id: z.int() });

/** Endpoint with which administrators preview the welcome message of new users (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm')
export class WelcomeMessagePreviewController {
  constructor(private readonly preview: SendWelcomePreview) {}

  @Post('test_welcome_bot_custom_message')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'test-welcome-bot-custom-message',
    summary: 'Sends the user the greeting of new users, with a text that is not stored',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(welcomeMessagePreviewParameters),
    responses: {
      200: { description: 'Id of the message', schema: welcomeMessagePreviewResponseBody },
      ...commonErrorResponses,
    },
  })
  sendWelcomeMessagePreview(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(welcomeMessagePreviewParameters) sent: DecodedParametersOfDefinition<
      typeof welcomeMessagePreviewParameters
    >,
  ) {
    return this.preview.run(actor, sent.welcome_message_custom_text);
  }
}
