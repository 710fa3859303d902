import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import { z } from 'zod';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { ReactionService } from './change-reaction.action.js';
import { addReactionParameters, emptyResponseBody, removeReactionParameters } from './reactions.schemas.js';

const reactionPathParameters = z.object({ message_id: z.int() });

/** Endpoints for reactions to messages (docs/contract/chat.md 2.C). */
@Controller('api/v1/messages/:message_id/reactions')
export class ReactionsController {
  constructor(private readonly changeReaction: ReactionService) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-reaction',
    scope: 'send',
    summary: 'Adds an emoji reaction to a message',
    tags: ['messages'],
    security: ['basic'],
    pathParams: reactionPathParameters,
    body: createOpenApiFormBodies(addReactionParameters),
    responses: { 200: { description: 'Added', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(addReactionParameters) parameters: DecodedParametersOfDefinition<typeof addReactionParameters>,
  ) {
    return this.changeReaction.add(actor, id, parameters);
  }

  @Delete()
  @DescribeEndpoint({
    operationId: 'remove-reaction',
    scope: 'send',
    summary: 'Removes an emoji reaction of the user from a message',
    tags: ['messages'],
    security: ['basic'],
    pathParams: reactionPathParameters,
    body: createOpenApiFormBodies(removeReactionParameters),
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('message_id') id: number,
    @RequestParameters(removeReactionParameters) parameters: DecodedParametersOfDefinition<
      typeof removeReactionParameters
    >,
  ) {
    return this.changeReaction.remove(actor, id, parameters);
  }
}
