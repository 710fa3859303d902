import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, successBody } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { SendEditTypingNotification } from './send-edit-typing-notification.action.js';

const messageTypingOperationParameter = z.enum(['start', 'stop']);
const typingParameters = defineParameters(z.object({ op: messageTypingOperationParameter }));
const olderTypingParameters = defineParameters(z.object({ message_id: z.int(), op: messageTypingOperationParameter }));
const emptyResponseBody = successBody({});

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
    body: createFormBodies(typingParameters),
    responses: { 200: { description: 'The notification is sent', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  send(
    @CurrentActor() actor: ChatActor,
    @PathId('message_id') id: number,
    @Parameters(typingParameters) parameters: ParametersOf<typeof typingParameters>,
  ) {
    return this.sendEditTyping.run(actor, id, parameters.op);
  }

  @Post('message_edit_typing')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'set-typing-status-for-message-edit-older',
    scope: 'send',
    summary: 'The same endpoint under its older path',
    tags: ['messages'],
    security: ['basic'],
    body: createFormBodies(olderTypingParameters),
    responses: { 200: { description: 'The notification is sent', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  sendOnOlderPath(
    @CurrentActor() actor: ChatActor,
    @Parameters(olderTypingParameters) parameters: ParametersOf<typeof olderTypingParameters>,
  ) {
    return this.sendEditTyping.run(actor, parameters.message_id, parameters.op);
  }
}
