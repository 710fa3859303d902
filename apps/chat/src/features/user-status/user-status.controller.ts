import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import { UserStatusService } from './user-status.action.js';
import {
  emptyResponseBody,
  noParameters,
  setOwnStatusParameters,
  setStatusParameters,
  statusResponseBody,
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
    body: createFormBodies(setOwnStatusParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  setOwn(
    @CurrentActor() actor: ChatActor,
    @Parameters(setOwnStatusParameters) parameters: ParametersOf<typeof setOwnStatusParameters>,
  ) {
    return this.statuses.setOwn(actor, parameters);
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
      200: { description: 'The status; empty for none', schema: statusResponseBody },
      ...commonErrorResponses,
    },
  })
  get(
    @CurrentActor() actor: ChatActor,
    @PathId('user_id') userId: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.statuses.get(actor, userId);
  }

  @Post(':user_id/status')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-status-for-user',
    pathParams: userIdPathParameters,
    summary: 'Updates the status of another user',
    tags: ['users'],
    security: ['basic'],
    body: createFormBodies(setStatusParameters),
    responses: { 200: { description: 'Changed', schema: emptyResponseBody }, ...commonErrorResponses },
  })
  set(
    @CurrentActor() actor: ChatActor,
    @PathId('user_id') userId: number,
    @Parameters(setStatusParameters) parameters: ParametersOf<typeof setStatusParameters>,
  ) {
    return this.statuses.set(actor, userId, parameters);
  }
}
