import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { RemainderOfUrlPath } from '../../infra/http/url-path-text.js';
import { NavigationViewsService } from './navigation-views.action.js';
import {
  navigationViewCreationParameters,
  emptyResponseBody,
  navigationViewListResponseBody,
  emptyRequestParameters,
  navigationViewUpdateParameters,
  navigationViewPathParameters,
} from './navigation-views.schemas.js';

/** Endpoints for the views in a user's navigation menu (chat-4.18, docs/contract/chat.md 2.D). */
@Controller('api/v1/navigation_views')
export class NavigationViewsController {
  constructor(private readonly views: NavigationViewsService) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-navigation-views',
    scope: 'read',
    summary: 'Lists the navigation views of the user',
    tags: ['navigation'],
    security: ['basic'],
    responses: { 200: { description: 'The views', schema: navigationViewListResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.views.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-navigation-view',
    summary: 'Adds a navigation view',
    tags: ['navigation'],
    security: ['basic'],
    body: createOpenApiFormBodies(navigationViewCreationParameters),
    responses: { 200: { description: 'Added', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(navigationViewCreationParameters) parameters: DecodedParametersOfDefinition<
      typeof navigationViewCreationParameters
    >,
  ) {
    return this.views.add(actor, parameters);
  }

  @Patch('*')
  @DescribeEndpoint({
    operationId: 'edit-navigation-view',
    path: '/api/v1/navigation_views/{fragment}',
    pathParams: navigationViewPathParameters,
    summary: 'Pins, hides or renames a navigation view',
    tags: ['navigation'],
    security: ['basic'],
    body: createOpenApiFormBodies(navigationViewUpdateParameters),
    responses: {
      200: { description: 'Changed', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @RemainderOfUrlPath() fragment: string,
    @RequestParameters(navigationViewUpdateParameters) parameters: DecodedParametersOfDefinition<
      typeof navigationViewUpdateParameters
    >,
  ) {
    return this.views.update(actor, fragment, parameters);
  }

  @Delete('*')
  @DescribeEndpoint({
    operationId: 'remove-navigation-view',
    path: '/api/v1/navigation_views/{fragment}',
    pathParams: navigationViewPathParameters,
    summary: 'Removes a navigation view',
    tags: ['navigation'],
    security: ['basic'],
    responses: {
      200: { description: 'Removed', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  remove(
    @CurrentActor() actor: ChatActor,
    @RemainderOfUrlPath() fragment: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.views.remove(actor, fragment);
  }
}
