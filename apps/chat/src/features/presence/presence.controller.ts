import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import {
  emptyRequestParameters,
  realmPresenceResponseBody,
  reportPresenceResponseBody,
  reportPresenceParameters,
  presenceUserPathParameters,
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
    body: createOpenApiFormBodies(reportPresenceParameters),
    responses: {
      200: { description: 'The presence of other users', schema: reportPresenceResponseBody },
      ...commonErrorResponses,
    },
  })
  reportOwnPresence(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(reportPresenceParameters) parameters: DecodedParametersOfDefinition<
      typeof reportPresenceParameters
    >,
  ) {
    return this.presences.reportOwnPresence(actor, parameters);
  }

  @Get('users/:user_id_or_email/presence')
  @DescribeEndpoint({
    operationId: 'get-user-presence',
    scope: 'read',
    pathParams: presenceUserPathParameters,
    summary: 'Returns the presence of a user',
    tags: ['users'],
    security: ['basic'],
    responses: {
      200: { description: 'The presence of the user', schema: userPresenceResponseBody },
      ...commonErrorResponses,
    },
  })
  getUserPresence(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('user_id_or_email') user: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.presences.getUserPresence(actor, user);
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
  listRealmPresences(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.presences.listRealmPresences(actor);
  }
}
