import { Controller, Delete, Get, HttpCode, Post, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RawResponse,
  RequestHost,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import {
  deleteQueueParameters,
  emptyResponseBody,
  getEventsResponseBody,
  getEventsParameters,
  lastEventIdHeaderSchema,
  streamEventsParameters,
} from './get-events.schemas.js';
import { PollEvents } from './poll-events.query.js';
import { RegisterEventQueue } from './register-queue.action.js';
import { registerEventQueueResponseBody } from './register-response.schemas.js';
import { registerEventQueueParameters } from './register-request.schemas.js';
import { StreamServerSentEvents } from './stream-events.query.js';

/** Endpoints that register, poll and delete event queues (docs/contract/chat.md 2.B and 3). */
@Controller('api/v1')
export class EventQueuesController {
  constructor(
    private readonly registerQueue: RegisterEventQueue,
    private readonly pollEvents: PollEvents,
    private readonly streamEvents: StreamServerSentEvents,
  ) {}

  @Post('register')
  @DatabaseWorkOfHandler('heavy')
  @Public({ identify: true })
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'register-queue',
    scope: 'read',
    summary: 'Registers an event queue and returns the current state, which its events continue',
    tags: ['events'],
    security: ['basic'],
    body: createOpenApiFormBodies(registerEventQueueParameters),
    responses: {
      200: { description: 'The queue and the state', schema: registerEventQueueResponseBody },
      ...commonErrorResponses,
    },
  })
  register(
    @CurrentActor() actor: ChatActor | null,
    @RequestParameters(registerEventQueueParameters) parameters: DecodedParametersOfDefinition<
      typeof registerEventQueueParameters
    >,
    @RequestHost() host: string,
    @RequestOrigin() origin: string,
  ) {
    return this.registerQueue.run(actor, parameters, { host, origin });
  }

  @Get('events')
  @DescribeEndpoint({
    operationId: 'get-events',
    scope: 'read',
    summary: 'Waits for events after the last one that the client has received',
    tags: ['events'],
    security: ['basic'],
    query: getEventsParameters.published,
    responses: { 200: { description: 'The events, in order', schema: getEventsResponseBody }, ...commonErrorResponses },
  })
  poll(
    @CurrentActor() actor: CredentialOwner,
    @RequestParameters(getEventsParameters) parameters: DecodedParametersOfDefinition<typeof getEventsParameters>,
    @RawResponse() response: FastifyReply['raw'],
  ) {
    return this.pollEvents.run(actor, parameters, response);
  }

  @Get('events/stream')
  @DescribeEndpoint({
    operationId: 'stream-events',
    scope: 'read',
    summary: 'Streams events after the last one that the client has received, as server-sent events',
    description:
      'Each message has the id of an event in the field `id` and the event, as in `events` of `GET /events`, in the field `data`. A header `Last-Event-ID` replaces `last_event_id`. A message with `event: error` contains the error that ended the stream. The stream ends after some minutes, so that the client reconnects and acknowledges what it has received.',
    tags: ['events'],
    security: ['basic'],
    query: streamEventsParameters.published,
    headerParams: lastEventIdHeaderSchema,
    responses: {
      200: { description: 'The events, in order', contentType: 'text/event-stream' },
      ...commonErrorResponses,
    },
  })
  stream(
    @CurrentActor() actor: CredentialOwner,
    @RequestParameters(streamEventsParameters) parameters: DecodedParametersOfDefinition<typeof streamEventsParameters>,
    @Res() reply: FastifyReply,
  ) {
    return this.streamEvents.run(actor, parameters, reply);
  }

  @Delete('events')
  @DescribeEndpoint({
    operationId: 'delete-queue',
    scope: 'read',
    summary: 'Deletes an event queue',
    tags: ['events'],
    security: ['basic'],
    query: deleteQueueParameters.published,
    body: createOpenApiFormBodies(deleteQueueParameters).map(({ contentType, schema }) => ({
      contentType,
      schema: schema.partial(),
    })),
    responses: { 200: { description: 'Deleted', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(deleteQueueParameters) parameters: DecodedParametersOfDefinition<typeof deleteQueueParameters>,
  ) {
    return this.pollEvents.removeEventQueue(actor, parameters);
  }
}
