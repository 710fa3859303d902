import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { MarkMessagesRead } from './mark-read.action.js';
import {
  narrowFlagUpdateResponseBody,
  narrowFlagUpdateParameters,
  channelReadMarkingParameters,
  readMarkingResponseBody,
  topicReadMarkingParameters,
  emptyRequestParameters,
  messageFlagUpdateResponseBody,
  messageFlagUpdateParameters,
} from './message-flags.schemas.js';
import { UpdateMessageFlags } from './update-flags.action.js';

/** Endpoints for personal flags of messages (docs/contract/chat.md 5.6). */
@Controller('api/v1')
export class MessageFlagsController {
  constructor(
    private readonly updateFlags: UpdateMessageFlags,
    private readonly markRead: MarkMessagesRead,
  ) {}

  @Post('messages/flags')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-message-flags',
    summary: 'Adds or removes a personal flag of messages',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(messageFlagUpdateParameters),
    responses: {
      200: { description: 'The flags are changed', schema: messageFlagUpdateResponseBody },
      ...commonErrorResponses,
    },
  })
  updateFlagsOfMessages(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(messageFlagUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof messageFlagUpdateParameters
    >,
  ) {
    return this.updateFlags.updateFlagOfMessages(actor, parameters);
  }

  @Post('messages/flags/narrow')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-message-flags-for-narrow',
    summary: 'Adds or removes a personal flag of the messages of a narrow around an anchor',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(narrowFlagUpdateParameters),
    responses: {
      200: { description: 'Counts and range of the changed messages', schema: narrowFlagUpdateResponseBody },
      ...commonErrorResponses,
    },
  })
  updateFlagsOfNarrow(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(narrowFlagUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof narrowFlagUpdateParameters
    >,
  ) {
    return this.updateFlags.updateFlagInNarrow(actor, parameters);
  }

  @Post('mark_all_as_read')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'mark-all-as-read',
    summary: 'Marks all messages as read; the newer way is update-message-flags-for-narrow',
    tags: ['messages'],
    security: ['basic'],
    responses: {
      200: { description: 'All or some of the messages are marked', schema: readMarkingResponseBody },
      ...commonErrorResponses,
    },
  })
  markAllMessagesRead(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _none: object) {
    return this.markRead.markAllRead(actor);
  }

  @Post('mark_stream_as_read')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'mark-stream-as-read',
    summary: 'Marks the messages of a channel as read; the newer way is update-message-flags-for-narrow',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(channelReadMarkingParameters),
    responses: {
      200: { description: 'All or some of the messages are marked', schema: readMarkingResponseBody },
      ...commonErrorResponses,
    },
  })
  markChannelMessagesRead(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(channelReadMarkingParameters) parameters: DecodedParametersOfDefinition<
      typeof channelReadMarkingParameters
    >,
  ) {
    return this.markRead.markChannelRead(actor, parameters.stream_id);
  }

  @Post('mark_topic_as_read')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'mark-topic-as-read',
    summary: 'Marks the messages of a topic as read; the newer way is update-message-flags-for-narrow',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(topicReadMarkingParameters),
    responses: {
      200: { description: 'All or some of the messages are marked', schema: readMarkingResponseBody },
      ...commonErrorResponses,
    },
  })
  markTopicMessagesRead(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(topicReadMarkingParameters) parameters: DecodedParametersOfDefinition<
      typeof topicReadMarkingParameters
    >,
  ) {
    return this.markRead.markTopicRead(actor, parameters.stream_id, parameters.topic_name);
  }
}
