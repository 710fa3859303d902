import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ReadTopics } from './read-topics.query.js';
import { listTopicsResponseBody, listTopicsParameters } from './topics.schemas.js';

/** Endpoint that lists the topics of a channel (docs/contract/chat.md 2.E). */
@Controller('api/v1')
export class TopicsController {
  constructor(private readonly topics: ReadTopics) {}

  @Get('users/me/:stream_id/topics')
  @DescribeEndpoint({
    operationId: 'get-stream-topics',
    scope: 'read',
    summary: 'Lists the topics of a channel that the user can read',
    tags: ['channels'],
    security: ['basic'],
    pathParams: z.object({ stream_id: z.int() }),
    query: listTopicsParameters.published,
    responses: {
      200: { description: 'The topics, newest first', schema: listTopicsResponseBody },
      ...commonErrorResponses,
    },
  })
  listChannelTopics(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('stream_id') channelId: number,
    @RequestParameters(listTopicsParameters) parameters: DecodedParametersOfDefinition<typeof listTopicsParameters>,
  ) {
    return this.topics.listChannelTopics(actor, channelId, parameters.allow_empty_topic_name);
  }
}
