import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { PathText } from '../../infra/http/path-text.js';
import {
  noParameters,
  realmPresenceResponseBody,
  reportPresenceResponseBody,
  reportPresenceParameters,
  userPathParameters,
  userPresenceResponseBody,
} from './presence.schemas.js';
import { PresenceService } from './presences.action.js';

/** Endpoints that report and list presence (docs/contract/chat.md 2.F). */
@Controller('api/v1')
export class PresenceController {
  constructor(private readonly presences: PresenceService) {}

  @Post('users/me/presence')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'update-presence',
    summary: 'Updates the presence of the user and returns the presence of others',
    tags: ['users'],
    security: ['basic'],
    body: createFormBodies(reportPresenceParameters),
    responses: {
      200: { description: 'The presence of other users', schema: reportPresenceResponseBody },
      ...commonErrorResponses,
    },
  })
  report(
    @CurrentActor() actor: ChatActor,
    @Parameters(reportPresenceParameters) parameters: ParametersOf<typeof reportPresenceParameters>,
  ) {
    return this.presences.report(actor, parameters);
  }

  @Get('users/:user_id_or_email/presence')
  @DescribeEndpoint({
    operationId: 'get-user-presence',
    scope: 'read',
    pathParams: userPathParameters,
    summary: 'Returns the presence of a user',
    tags: ['users'],
    security: ['basic'],
    responses: {
      200: { description: 'The presence of the user', schema: userPresenceResponseBody },
      ...commonErrorResponses,
    },
  })
  get(
    @CurrentActor() actor: ChatActor,
    @PathText('user_id_or_email') user: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.presences.get(actor, user);
  }

  @Get('realm/presence')
  @DescribeEndpoint({
    operationId: 'get-presence',
    scope: 'read',
    summary: 'Lists the presence of all recently active users',
    tags: ['users'],
    security: ['basic'],
    responses: {
      200: { description: 'Presence by email address', schema: realmPresenceResponseBody },
      ...commonErrorResponses,
    },
  })
  listAll(@CurrentActor() actor: ChatActor, @Parameters(noParameters) _parameters: object) {
    return this.presences.listAll(actor);
  }
}
