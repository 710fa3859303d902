import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { SendEditTypingNotification } from './send-edit-typing-notification.action.js';

const startOrStopTypingSchema = z.enum(['start', 'stop']);
const messageEditTypingParameters = defineParameters(z.object({ op: startOrStopTypingSchema }));
const olderMessageEditTypingParameters = defineParameters(
  z.object({ message_id: z.int(), op: startOrStopTypingSchema }),
);
const emptyResponseBody = createSuccessBodySchema({});

/** Endpoint with which a client reports that the user is editing a message (docs/contract/chat.md 2.C, 8.19). */
@Controller('api/v1')
export class MessageTypingController {
  constructor(private readonly sendEditTyping: SendEditTypingNotification) {}

  @Post('messages/:message_id/typing')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'set-typing-status-for-message-edit',
    scope: 'send',
    summary: 'Sends a typing notification for the editing of a message',
    tags: ['messages'],
    security: ['basic'],
    pathParams: z.object({ message_id: z.int() }),
    body: createOpenApiFormBodies(messageEditTypingParameters),
    responses: { 200: { description: 'The notification is sent', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  sendEditTypingNotification(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(messageEditTypingParameters) parameters: DecodedParametersOfDefinition<
      typeof messageEditTypingParameters
    >,
  ) {
    return this.sendEditTyping.run(actor, id, parameters.op);
  }

  @Post('message_edit_typing')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'set-typing-status-for-message-edit-older',
    scope: 'send',
    summary: 'Sends a typing notification for the editing of a message, on the older path',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(olderMessageEditTypingParameters),
    responses: { 200: { description: 'The notification is sent', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  sendNotificationOnOlderPath(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(olderMessageEditTypingParameters) parameters: DecodedParametersOfDefinition<
      typeof olderMessageEditTypingParameters
    >,
  ) {
    return this.sendEditTyping.run(actor, parameters.message_id, parameters.op);
  }
}
