import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { DeleteMessage } from './delete-message.action.js';
import { DeleteTopic } from './delete-topic.action.js';
import {
  deleteTopicResponseBody,
  deleteTopicParameters,
  emptyResponseBody,
  emptyRequestParameters,
} from './message-deletion.schemas.js';

/** Endpoints that delete messages and topics (docs/contract/chat.md 5.8). */
@Controller('api/v1')
export class MessageDeletionController {
  constructor(
    private readonly deleteMessage: DeleteMessage,
    private readonly deleteTopic: DeleteTopic,
  ) {}

  @Delete('messages/:message_id')
  @DescribeEndpoint({
    operationId: 'delete-message',
    summary: 'Deletes a message',
    tags: ['messages'],
    security: ['basic'],
    pathParams: z.object({ message_id: z.int() }),
    responses: { 200: { description: 'Deleted', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  removeMessage(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(emptyRequestParameters) _none: object,
  ) {
    return this.deleteMessage.run(actor, id);
  }

  @Post('streams/:stream_id/delete_topic')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'delete-topic',
    summary: 'Deletes all messages of a topic, newest first',
    tags: ['messages'],
    security: ['basic'],
    pathParams: z.object({ stream_id: z.int() }),
    body: createOpenApiFormBodies(deleteTopicParameters),
    responses: {
      200: { description: 'All or some of the messages are deleted', schema: deleteTopicResponseBody },
      ...commonErrorResponses,
    },
  })
  removeTopic(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') channelId: number,
    @RequestParameters(deleteTopicParameters) parameters: DecodedParametersOfDefinition<typeof deleteTopicParameters>,
  ) {
    return this.deleteTopic.run(actor, channelId, parameters.topic_name);
  }
}
