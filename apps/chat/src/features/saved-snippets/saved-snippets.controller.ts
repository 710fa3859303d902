import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { SavedSnippetsService } from './saved-snippets.action.js';
import {
  addSnippetResponseBody,
  addSnippetParameters,
  emptyResponseBody,
  listSnippetsResponseBody,
  emptyRequestParameters,
  snippetPathParameters,
  updateSnippetParameters,
} from './saved-snippets.schemas.js';

/** Endpoints for saved snippets, which users insert into messages (docs/contract/chat.md 2.D). */
@Controller('api/v1/saved_snippets')
export class SavedSnippetsController {
  constructor(private readonly snippets: SavedSnippetsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-saved-snippets',
    scope: 'read',
    summary: 'Lists the saved snippets of the user',
    tags: ['drafts'],
    security: ['basic'],
    responses: {
      200: { description: 'The snippets, oldest first', schema: listSnippetsResponseBody },
      ...commonErrorResponses,
    },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.snippets.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-saved-snippet',
    summary: 'Creates a saved snippet',
    tags: ['drafts'],
    security: ['basic'],
    body: createOpenApiFormBodies(addSnippetParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addSnippetResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addSnippetParameters) parameters: DecodedParametersOfDefinition<typeof addSnippetParameters>,
  ) {
    return this.snippets.add(actor, parameters);
  }

  @Patch(':saved_snippet_id')
  @DescribeEndpoint({
    operationId: 'edit-saved-snippet',
    pathParams: snippetPathParameters,
    summary: 'Updates a saved snippet',
    tags: ['drafts'],
    security: ['basic'],
    body: createOpenApiFormBodies(updateSnippetParameters),
    responses: {
      200: { description: 'Changed', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('saved_snippet_id') id: number,
    @RequestParameters(updateSnippetParameters) parameters: DecodedParametersOfDefinition<
      typeof updateSnippetParameters
    >,
  ) {
    return this.snippets.update(actor, id, parameters);
  }

  @Delete(':saved_snippet_id')
  @DescribeEndpoint({
    operationId: 'delete-saved-snippet',
    pathParams: snippetPathParameters,
    summary: 'Deletes a saved snippet',
    tags: ['drafts'],
    security: ['basic'],
    responses: {
      200: { description: 'Forgotten', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('saved_snippet_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.snippets.remove(actor, id);
  }
}
