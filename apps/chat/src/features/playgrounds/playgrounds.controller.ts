import { Controller, Delete, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { PlaygroundsService } from './playgrounds.action.js';
import {
  addPlaygroundResponseBody,
  addPlaygroundParameters,
  emptyResponseBody,
  emptyRequestParameters,
  playgroundPathParameters,
} from './playgrounds.schemas.js';

/** Endpoints for code playgrounds (docs/contract/chat.md 2.H). */
@Controller('api/v1/realm/playgrounds')
export class PlaygroundsController {
  constructor(private readonly playgrounds: PlaygroundsService) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-code-playground',
    summary: 'Adds a playground: a site on which users open code blocks of one language',
    tags: ['server'],
    security: ['basic'],
    body: createOpenApiFormBodies(addPlaygroundParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addPlaygroundResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addPlaygroundParameters) parameters: DecodedParametersOfDefinition<
      typeof addPlaygroundParameters
    >,
  ) {
    return this.playgrounds.add(actor, parameters);
  }

  @Delete(':playground_id')
  @DescribeEndpoint({
    operationId: 'remove-code-playground',
    summary: 'Removes a playground',
    tags: ['server'],
    security: ['basic'],
    pathParams: playgroundPathParameters,
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('playground_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.playgrounds.remove(actor, id);
  }
}
