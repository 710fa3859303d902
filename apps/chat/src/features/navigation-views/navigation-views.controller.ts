import { Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, notFoundErrorResponse } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathRemainder } from '../../infra/http/path-text.js';
import { NavigationViewsService } from './navigation-views.action.js';
import {
  addViewParameters,
  emptyResponseBody,
  listViewsResponseBody,
  noParameters,
  updateViewParameters,
  viewPathParameters,
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
    responses: { 200: { description: 'The views', schema: listViewsResponseBody }, ...commonErrorResponses },
  })
  list(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.views.list(actor);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'add-navigation-view',
    summary: 'Adds a navigation view',
    tags: ['navigation'],
    security: ['basic'],
    body: createFormBodies(addViewParameters),
    responses: { 200: { description: 'Added', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  add(
    @CurrentActor() actor: ChatActor,
    @Parameters(addViewParameters) parameters: ParametersOf<typeof addViewParameters>,
  ) {
    return this.views.add(actor, parameters);
  }

  @Patch('*')
  @DescribeEndpoint({
    operationId: 'edit-navigation-view',
    path: '/api/v1/navigation_views/{fragment}',
    pathParams: viewPathParameters,
    summary: 'Pins, hides or renames a navigation view',
    tags: ['navigation'],
    security: ['basic'],
    body: createFormBodies(updateViewParameters),
    responses: {
      200: { description: 'Changed', schema: emptyResponseBody },
      ...commonErrorResponses,
      ...notFoundErrorResponse,
    },
  })
  update(
    @CurrentActor() actor: ChatActor,
    @PathRemainder() fragment: string,
    @Parameters(updateViewParameters) parameters: ParametersOf<typeof updateViewParameters>,
  ) {
    return this.views.update(actor, fragment, parameters);
  }

  @Delete('*')
  @DescribeEndpoint({
    operationId: 'remove-navigation-view',
    path: '/api/v1/navigation_views/{fragment}',
    pathParams: viewPathParameters,
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
    @PathRemainder() fragment: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.views.remove(actor, fragment);
  }
}
