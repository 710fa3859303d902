import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { UserStatusService } from './user-status.action.js';
import {
  emptyResponseBody,
  emptyRequestParameters,
  setOwnStatusParameters,
  setUserStatusParameters,
  userStatusResponseBody,
  userIdPathParameters,
} from './user-status.schemas.js';

/** Endpoints that set and return the status of users (chat-4.10, docs/contract/chat.md 2.F). */
@Controller('api/v1/users')
export class UserStatusController {
  constructor(private readonly statuses: UserStatusService) {}

  @Post('me/status')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-status',
    summary: 'Updates the status of the user',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(setOwnStatusParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  setOwnStatus(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(setOwnStatusParameters) parameters: DecodedParametersOfDefinition<typeof setOwnStatusParameters>,
  ) {
    return this.statuses.setOwnStatus(actor, parameters);
  }

  @Get(':user_id/status')
  @DescribeEndpoint({
    operationId: 'get-user-status',
    scope: 'read',
    pathParams: userIdPathParameters,
    summary: 'Returns the status of a user',
    tags: ['users'],
    security: ['basic'],
    responses: {
      200: { description: 'The status; empty for none', schema: userStatusResponseBody },
      ...commonErrorResponses,
    },
  })
  getUserStatus(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_id') userId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.statuses.getUserStatus(actor, userId);
  }

  @Post(':user_id/status')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-status-for-user',
    pathParams: userIdPathParameters,
    summary: 'Updates the status of another user',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(setUserStatusParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  setStatusOfUser(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_id') userId: number,
    @RequestParameters(setUserStatusParameters) parameters: DecodedParametersOfDefinition<
      typeof setUserStatusParameters
    >,
  ) {
    return this.statuses.setStatusOfUser(actor, userId, parameters);
  }
}
