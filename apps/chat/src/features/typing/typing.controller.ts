import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { SendTypingNotification } from './send-typing-notification.action.js';
import { emptyResponseBody, typingNotificationParameters } from './typing.schemas.js';

/** Endpoint that notifies other users that the requester is typing (chat-4.2). */
@Controller('api/v1/typing')
export class TypingController {
  constructor(private readonly typing: SendTypingNotification) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'set-typing-status',
    scope: 'send',
    summary: 'Sends a typing notification: the user starts or stops writing',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(typingNotificationParameters),
    responses: { 200: { description: 'The notification is sent', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  sendTypingNotification(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(typingNotificationParameters) parameters: DecodedParametersOfDefinition<
      typeof typingNotificationParameters
    >,
  ) {
    return this.typing.run(actor, parameters);
  }
}
