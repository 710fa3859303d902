import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { MarkMessagesRead } from './mark-read.action.js';
import {
  flagsForNarrowResponseBody,
  flagsForNarrowParameters,
  markChannelParameters,
  markReadResponseBody,
  markTopicParameters,
  noParameters,
  updateFlagsResponseBody,
  updateFlagsParameters,
} from './message-flags.schemas.js';
import { UpdateFlags } from './update-flags.action.js';

/** Endpoints for personal flags of messages (docs/contract/chat.md 5.6). */
@Controller('api/v1')
export class MessageFlagsController {
  constructor(
    private readonly updateFlags: UpdateFlags,
    private readonly markRead: MarkMessagesRead,
  ) {}

  @Post('messages/flags')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-message-flags',
    summary: 'Adds or removes a personal flag of messages',
    tags: ['messages'],
    security: ['basic'],
    body: createFormBodies(updateFlagsParameters),
    responses: {
      200: { description: 'The flags are changed', schema: updateFlagsResponseBody },
      ...commonErrorResponses,
    },
  })
  updateFlagsOfMessages(
    @CurrentActor() actor: ChatActor,
    @Parameters(updateFlagsParameters) parameters: ParametersOf<typeof updateFlagsParameters>,
  ) {
    return this.updateFlags.updateForMessages(actor, parameters);
  }

  @Post('messages/flags/narrow')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-message-flags-for-narrow',
    summary: 'Adds or removes a personal flag of the messages of a narrow around an anchor',
    tags: ['messages'],
    security: ['basic'],
    body: createFormBodies(flagsForNarrowParameters),
    responses: {
      200: { description: 'Counts and range of the changed messages', schema: flagsForNarrowResponseBody },
      ...commonErrorResponses,
    },
  })
  updateFlagsOfNarrow(
    @CurrentActor() actor: ChatActor,
    @Parameters(flagsForNarrowParameters) parameters: ParametersOf<typeof flagsForNarrowParameters>,
  ) {
    return this.updateFlags.updateForNarrow(actor, parameters);
  }

  @Post('mark_all_as_read')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'mark-all-as-read',
    summary: 'Marks all messages as read; the newer way is update-message-flags-for-narrow',
    tags: ['messages'],
    security: ['basic'],
    responses: {
      200: { description: 'All or some of the messages are marked', schema: markReadResponseBody },
      ...commonErrorResponses,
    },
  })
  markAll(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _none: object) {
    return this.markRead.markAllRead(actor);
  }

  @Post('mark_stream_as_read')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'mark-stream-as-read',
    summary: 'Marks the messages of a channel as read; the newer way is update-message-flags-for-narrow',
    tags: ['messages'],
    security: ['basic'],
    body: createFormBodies(markChannelParameters),
    responses: {
      200: { description: 'All or some of the messages are marked', schema: markReadResponseBody },
      ...commonErrorResponses,
    },
  })
  markChannel(
    @CurrentActor() actor: ChatActor,
    @Parameters(markChannelParameters) parameters: ParametersOf<typeof markChannelParameters>,
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
    body: createFormBodies(markTopicParameters),
    responses: {
      200: { description: 'All or some of the messages are marked', schema: markReadResponseBody },
      ...commonErrorResponses,
    },
  })
  markTopic(
    @CurrentActor() actor: ChatActor,
    @Parameters(markTopicParameters) parameters: ParametersOf<typeof markTopicParameters>,
  ) {
    return this.markRead.markTopicRead(actor, parameters.stream_id, parameters.topic_name);
  }
}
