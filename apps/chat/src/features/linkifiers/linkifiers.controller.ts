import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import {
  addLinkifierResponseBody,
  addLinkifierParameters,
  emptyResponseBody,
  linkifierPathParameters,
  legacyLinkifierListResponseBody,
  listLinkifiersResponseBody,
  emptyRequestParameters,
  reorderLinkifiersParameters,
  updateLinkifierParameters,
} from './linkifiers.schemas.js';
import { LinkifiersService } from './linkifiers.action.js';

/**
 * Endpoints that list and change linkifiers. Clients use two different names for linkifiers (docs/contract/chat.md
 * 2.H).
 */
@Controller('api/v1/realm')
export class LinkifiersController {
  constructor(private readonly linkifiers: LinkifiersService) {}

  @Get('linkifiers')
  @DescribeEndpoint({
    operationId: 'get-linkifiers',
    scope: 'read',
    summary: 'Lists the linkifiers in their order',
    tags: ['linkifiers'],
    security: ['basic'],
    responses: { 200: { description: 'The linkifiers', schema: listLinkifiersResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.linkifiers.list(actor);
  }

  @Patch('linkifiers')
  @DescribeEndpoint({
    operationId: 'reorder-linkifiers',
    summary: 'Reorders the linkifiers; the first that matches a text applies',
    tags: ['linkifiers'],
    security: ['basic'],
    body: createOpenApiFormBodies(reorderLinkifiersParameters),
    responses: { 200: { description: 'The order is stored', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  reorder(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(reorderLinkifiersParameters) parameters: DecodedParametersOfDefinition<
      typeof reorderLinkifiersParameters
    >,
  ) {
    return this.linkifiers.reorder(actor, parameters.ordered_linkifier_ids);
  }

  @Get('filters')
  @DescribeEndpoint({
    operationId: 'get-realm-filters',
    scope: 'read',
    summary: 'Returns linkifiers in their first format, which is always an empty list',
    tags: ['linkifiers'],
    security: ['basic'],
    responses: {
      200: { description: 'Always empty', schema: legacyLinkifierListResponseBody },
      ...commonErrorResponses,
    },
  })
  listLegacyRealmFilters(@RequestParameters(emptyRequestParameters) _parameters: object) {
    return { filters: [] };
  }

  @Post('filters')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-linkifier',
    summary: 'Adds a linkifier at the end of the list',
    tags: ['linkifiers'],
    security: ['basic'],
    body: createOpenApiFormBodies(addLinkifierParameters),
    responses: {
      200: { description: 'Id of the new object', schema: addLinkifierResponseBody },
      ...commonErrorResponses,
    },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(addLinkifierParameters) parameters: DecodedParametersOfDefinition<typeof addLinkifierParameters>,
  ) {
    return this.linkifiers.add(actor, parameters);
  }

  @Patch('filters/:filter_id')
  @DescribeEndpoint({
    operationId: 'update-linkifier',
    summary: 'Updates a linkifier; existing messages keep their links',
    tags: ['linkifiers'],
    security: ['basic'],
    pathParams: linkifierPathParameters,
    body: createOpenApiFormBodies(updateLinkifierParameters),
    responses: { 200: { description: 'Replaced', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('filter_id') id: number,
    @RequestParameters(updateLinkifierParameters) parameters: DecodedParametersOfDefinition<
      typeof updateLinkifierParameters
    >,
  ) {
    return this.linkifiers.update(actor, id, parameters);
  }

  @Delete('filters/:filter_id')
  @DescribeEndpoint({
    operationId: 'remove-linkifier',
    summary: 'Removes a linkifier; existing messages keep their links',
    tags: ['linkifiers'],
    security: ['basic'],
    pathParams: linkifierPathParameters,
    responses: { 200: { description: 'Removed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('filter_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.linkifiers.remove(actor, id);
  }
}
