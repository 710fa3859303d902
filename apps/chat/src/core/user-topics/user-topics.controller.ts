import { Controller, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { SetUserTopicPolicy } from './set-user-topic.action.js';
import { emptyResponseBody, muteTopicParameters, setUserTopicParameters } from './user-topics.schemas.js';

/** Endpoints that set the visibility policies of topics (docs/contract/chat.md 2.E, chat-4.4). */
@Controller('api/v1')
export class UserTopicsController {
  constructor(private readonly setUserTopic: SetUserTopicPolicy) {}

  @Post('user_topics')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-user-topic',
    summary: 'Sets the visibility policy of a topic: muted, unmuted, followed, or that of its channel',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(setUserTopicParameters),
    responses: { 200: { description: 'Set', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  setUserTopicPolicy(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(setUserTopicParameters) parameters: DecodedParametersOfDefinition<typeof setUserTopicParameters>,
  ) {
    return this.setUserTopic.run(actor, parameters);
  }

  @Patch('users/me/subscriptions/muted_topics')
  @DescribeEndpoint({
    operationId: 'mute-topic',
    summary: 'Mutes or unmutes a topic; clients should use update-user-topic',
    tags: ['channels'],
    security: ['basic'],
    body: createOpenApiFormBodies(muteTopicParameters),
    responses: { 200: { description: 'Done', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  muteOrUnmuteTopic(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(muteTopicParameters) parameters: DecodedParametersOfDefinition<typeof muteTopicParameters>,
  ) {
    return this.setUserTopic.muteOrUnmuteTopic(actor, parameters);
  }
}
