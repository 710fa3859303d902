import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import {
  addDraftsResponseBody,
  addDraftsParameters,
  draftPathParameters,
  emptyResponseBody,
  listDraftsResponseBody,
  emptyRequestParameters,
  updateDraftParameters,
} from './drafts.schemas.js';
import { DraftsService } from './drafts.action.js';

/**
 * Endpoints that list, store and delete drafts. All clients of a user share the user's drafts (chat-4.13,
 * docs/contract/chat.md 2.D).
 */
@Controller('api/v1/drafts')
export class DraftsController {
  constructor(private readonly drafts: DraftsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-drafts',
    scope: 'read',
    summary: "Lists the user's drafts, ordered by their last change, oldest first",
    tags: ['drafts'],
    security: ['basic'],
    responses: { 200: { description: 'The drafts', schema: listDraftsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.drafts.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-drafts',
    summary: 'Stores drafts',
    tags: ['drafts'],
    security: ['basic'],
    body: createOpenApiFormBodies(addDraftsParameters),
    responses: {
      200: { description: 'Ids of the drafts, in the order of the request', schema: addDraftsResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addDraftsParameters) { drafts }: DecodedParametersOfDefinition<typeof addDraftsParameters>,
  ) {
    return this.drafts.add(actor, drafts);
  }

  @Patch(':draft_id')
  @DescribeEndpoint({
    operationId: 'edit-draft',
    pathParams: draftPathParameters,
    summary: 'Replaces a draft',
    tags: ['drafts'],
    security: ['basic'],
    body: createOpenApiFormBodies(updateDraftParameters),
    responses: {
      200: { description: 'Replaced', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('draft_id') draftId: number,
    @RequestParameters(updateDraftParameters) { draft }: DecodedParametersOfDefinition<typeof updateDraftParameters>,
  ) {
    return this.drafts.update(actor, draftId, draft);
  }

  @Delete(':draft_id')
  @DescribeEndpoint({
    operationId: 'delete-draft',
    pathParams: draftPathParameters,
    summary: 'Removes a draft',
    tags: ['drafts'],
    security: ['basic'],
    responses: {
      200: { description: 'Removed', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('draft_id') draftId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.drafts.remove(actor, draftId);
  }
}
