import { Controller, Get, Patch } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { EditMessage } from './edit-message.action.js';
import {
  editMessageResponseBody,
  editMessageParameters,
  messageHistoryResponseBody,
  messageHistoryParameters,
} from './edit-message.schemas.js';
import { GetMessageEditHistory } from './get-edit-history.query.js';

const messageEditingPathParameters = z.object({ message_id: z.int() });

/** Endpoints that edit messages and return the edit history of messages (docs/contract/chat.md 2.C). */
@Controller('api/v1/messages/:message_id')
export class MessageEditingController {
  constructor(
    private readonly editMessage: EditMessage,
    private readonly getHistory: GetMessageEditHistory,
  ) {}

  @Patch()
  @DescribeEndpoint({
    operationId: 'update-message',
    summary:
      'Edits the content of a message, or moves it, with other messages of its topic, to another topic or channel',
    tags: ['messages'],
    security: ['basic'],
    pathParams: messageEditingPathParameters,
    body: createOpenApiFormBodies(editMessageParameters),
    responses: { 200: { description: 'Changed', schema: editMessageResponseBody }, ...commonErrorResponses },
  })
  editOrMoveMessage(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(editMessageParameters) parameters: DecodedParametersOfDefinition<typeof editMessageParameters>,
    @RequestOrigin() origin: string,
  ) {
    return this.editMessage.run(actor, id, parameters, origin);
  }

  @Get('history')
  @DescribeEndpoint({
    operationId: 'get-message-history',
    scope: 'read',
    summary: 'Returns the edit history of a message: its earlier contents, topics and channels',
    tags: ['messages'],
    security: ['basic'],
    pathParams: messageEditingPathParameters,
    query: messageHistoryParameters.published,
    responses: {
      200: { description: 'The versions of the message, oldest first', schema: messageHistoryResponseBody },
      ...commonErrorResponses,
    },
  })
  getMessageHistory(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(messageHistoryParameters) parameters: DecodedParametersOfDefinition<
      typeof messageHistoryParameters
    >,
  ) {
    return this.getHistory.run(actor, id, parameters);
  }
}
