import { Controller, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { SetUserTopic } from './set-user-topic.action.js';
import { emptyResponseBody, muteTopicParameters, setUserTopicParameters } from './user-topics.schemas.js';

/** Endpoints that set the visibility policies of topics (docs/contract/chat.md 2.E, chat-4.4). */
@Controller('api/v1')
export class UserTopicsController {
  constructor(private readonly setUserTopic: SetUserTopic) {}

  @Post('user_topics')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-user-topic',
    summary: 'Sets the visibility policy of a topic: muted, unmuted, followed, or that of its channel',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(setUserTopicParameters),
    responses: { 200: { description: 'Set', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  set(
    @CurrentActor() actor: ChatActor,
    @Parameters(setUserTopicParameters) parameters: ParametersOf<typeof setUserTopicParameters>,
  ) {
    return this.setUserTopic.run(actor, parameters);
  }

  @Patch('users/me/subscriptions/muted_topics')
  @DescribeEndpoint({
    operationId: 'mute-topic',
    summary: 'Mutes or unmutes a topic; clients should use update-user-topic',
    tags: ['channels'],
    security: ['basic'],
    body: createFormBodies(muteTopicParameters),
    responses: { 200: { description: 'Done', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  mute(
    @CurrentActor() actor: ChatActor,
    @Parameters(muteTopicParameters) parameters: ParametersOf<typeof muteTopicParameters>,
  ) {
    return this.setUserTopic.mute(actor, parameters);
  }
}
