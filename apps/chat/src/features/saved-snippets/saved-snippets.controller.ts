import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrors, notFoundError } from '../../infra/http/envelope.schemas.js';
import { formBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { SavedSnippetsService } from './saved-snippets.action.js';
import {
  addSnippetBody,
  addSnippetParameters,
  emptyBody,
  listSnippetsBody,
  noParameters,
  snippetPath,
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
    responses: { 200: { description: 'The snippets, oldest first', schema: listSnippetsBody }, ...commonErrors },
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.snippets.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-saved-snippet',
    summary: 'Creates a saved snippet',
    tags: ['drafts'],
    security: ['basic'],
    body: formBodies(addSnippetParameters),
    responses: { 200: { description: 'Id of the new object', schema: addSnippetBody }, ...commonErrors },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(addSnippetParameters) parameters: ParametersOf<typeof addSnippetParameters>,
  ) {
    return this.snippets.add(actor, parameters);
  }

  @Patch(':saved_snippet_id')
  @DescribeEndpoint({
    operationId: 'edit-saved-snippet',
    pathParams: snippetPath,
    summary: 'Updates a saved snippet',
    tags: ['drafts'],
    security: ['basic'],
    body: formBodies(updateSnippetParameters),
    responses: { 200: { description: 'Changed', schema: emptyBody }, ...commonErrors, ...notFoundError },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathId('saved_snippet_id') id: number,
    @Parameters(updateSnippetParameters) parameters: ParametersOf<typeof updateSnippetParameters>,
  ) {
    return this.snippets.update(actor, id, parameters);
  }

  @Delete(':saved_snippet_id')
  @DescribeEndpoint({
    operationId: 'delete-saved-snippet',
    pathParams: snippetPath,
    summary: 'Deletes a saved snippet',
    tags: ['drafts'],
    security: ['basic'],
    responses: { 200: { description: 'Forgotten', schema: emptyBody }, ...commonErrors, ...notFoundError },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @PathId('saved_snippet_id') id: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.snippets.remove(actor, id);
  }
}
