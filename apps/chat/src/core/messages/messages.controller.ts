import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, idempotencyKeyReusedBody } from '../../infra/http/envelope.schemas.js';
import { IdempotencyKey, idempotencyKeyHeaderSchema } from '../../infra/http/idempotency-key.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  ClientName,
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestHost,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { createBadRequestError } from '../../errors.js';
import { rejectBots } from '../access/actor-rights.js';
import { AllowWebhookBots } from '../access/webhook-bot-access.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { GetMessage } from './read/get-message.query.js';
import { getMessageResponseBody, getMessageParameters } from './read/get-message.schemas.js';
import { ListMessages } from './read/list-messages.query.js';
import { listMessagesResponseBody, listMessagesParameters } from './read/list-messages.schemas.js';
import { topicSummaryResponseBody, topicSummaryParameters } from './read/topic-summary.schemas.js';
import { CheckMessagesMatchNarrow } from './read/check-messages-match-narrow.query.js';
import { matchesNarrowResponseBody, matchesNarrowParameters } from './read/check-messages-match-narrow.schemas.js';
import { RenderMessage } from './send/render-message.query.js';
import { renderMessageResponseBody, renderMessageParameters } from './send/render-message.schemas.js';
import { SendMessage } from './send/send-message.action.js';
import { sendMessageResponseBody, sendMessageParameters } from './send/send-message.schemas.js';

/** Endpoints that send, read and render messages (docs/contract/chat.md 2.C). */
@Controller('api/v1/messages')
export class MessagesController {
  constructor(
    private readonly sendMessage: SendMessage,
    private readonly listMessages: ListMessages,
    private readonly getMessage: GetMessage,
    private readonly matchesNarrow: CheckMessagesMatchNarrow,
    private readonly renderMessage: RenderMessage,
  ) {}

  @Post()
  @HttpCode(200)
  @AllowWebhookBots()
  @DescribeEndpoint({
    operationId: 'send-message',
    scope: 'send',
    summary: 'Sends a message to a channel or a direct message to users',
    tags: ['messages'],
    description:
      'A request that is repeated within a day, because its response was lost, sends one message. With the header `Idempotency-Key` the repetition must have the same parameters. Without it, a repetition has the same `queue_id`, `local_id`, recipients, topic and content. Both return the id of the first message.',
    security: ['basic'],
    headerParams: idempotencyKeyHeaderSchema,
    body: createOpenApiFormBodies(sendMessageParameters),
    responses: {
      200: { description: 'Sent, now or by an earlier request', schema: sendMessageResponseBody },
      ...commonErrorResponses,
      422: { description: 'The key was used with other parameters', schema: idempotencyKeyReusedBody },
    },
  })
  send(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(sendMessageParameters) parameters: DecodedParametersOfDefinition<typeof sendMessageParameters>,
    @ClientName() client: string,
    @RequestOrigin() origin: string,
    @IdempotencyKey() idempotencyKey: string | null,
  ) {
    return this.sendMessage.run(actor, parameters, { client, origin, idempotencyKey });
  }

  @Get()
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'get-messages',
    scope: 'read',
    summary: 'Returns the messages of a narrow around an anchor, or messages by their ids',
    tags: ['messages'],
    description:
      'Organizations with public access show web-public channels without credentials. A list that is larger than the setting `MESSAGES_MAX_BYTES` is refused with 400; request fewer messages then. Up to 100 messages are measured only if they have more than 10,000 reactions or submessages.',
    security: ['basic'],
    query: listMessagesParameters.published,
    responses: {
      200: { description: 'The messages, ascending', schema: listMessagesResponseBody },
      ...commonErrorResponses,
    },
  })
  list(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @RequestParameters(listMessagesParameters) parameters: DecodedParametersOfDefinition<typeof listMessagesParameters>,
  ) {
    return this.listMessages.run(actor, host, parameters);
  }

  @Get('matches_narrow')
  @DescribeEndpoint({
    operationId: 'check-messages-match-narrow',
    scope: 'read',
    summary: 'Checks which of the given messages match a narrow, and highlights the words of a search in them',
    tags: ['messages'],
    security: ['basic'],
    query: matchesNarrowParameters.published,
    responses: {
      200: { description: 'The matching messages by id', schema: matchesNarrowResponseBody },
      ...commonErrorResponses,
    },
  })
  checkMessagesMatchNarrow(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(matchesNarrowParameters) parameters: DecodedParametersOfDefinition<
      typeof matchesNarrowParameters
    >,
  ) {
    return this.matchesNarrow.run(actor, parameters);
  }

  @Get('summary')
  @DescribeEndpoint({
    operationId: 'get-messages-summary',
    scope: 'read',
    summary: 'Summarizes the messages of a narrow; always responds 400, because this server has no language model',
    tags: ['messages'],
    security: ['basic'],
    query: topicSummaryParameters.published,
    responses: { 200: { description: 'The summary', schema: topicSummaryResponseBody }, ...commonErrorResponses },
  })
  summarizeTopic(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(topicSummaryParameters) _parameters: object,
  ): never {
    rejectBots(actor);
    throw createBadRequestError('AI features are not enabled on this server.');
  }

  @Get(':message_id')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'get-message',
    scope: 'read',
    summary: 'Returns one message, with its Markdown source',
    tags: ['messages'],
    security: ['basic'],
    pathParams: z.object({ message_id: z.int() }),
    query: getMessageParameters.published,
    responses: { 200: { description: 'The message', schema: getMessageResponseBody }, ...commonErrorResponses },
  })
  get(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(getMessageParameters) parameters: DecodedParametersOfDefinition<typeof getMessageParameters>,
  ) {
    return this.getMessage.run(actor, host, id, parameters);
  }

  @Post('render')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'render-message',
    scope: 'send',
    summary: 'Renders a message without sending it',
    tags: ['messages'],
    security: ['basic'],
    body: createOpenApiFormBodies(renderMessageParameters),
    responses: {
      200: { description: 'The rendered HTML', schema: renderMessageResponseBody },
      ...commonErrorResponses,
    },
  })
  render(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(renderMessageParameters) parameters: DecodedParametersOfDefinition<
      typeof renderMessageParameters
    >,
    @RequestOrigin() origin: string,
  ) {
    return this.renderMessage.run(actor, parameters.content, origin);
  }
}
