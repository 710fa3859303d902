import { Controller, Get } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestHost,
} from '../../infra/http/parameter-decorators.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import { ReadUsers } from './read-users.query.js';
import {
  getUserParameters,
  listUsersResponseBody,
  listUsersParameters,
  emptyRequestParameters,
  ownUserResponseBody,
  userResponseBody,
  userIdOrEmailParameters,
} from './users.schemas.js';

/** Endpoints that read accounts (docs/contract/chat.md 2.F). */
@Controller('api/v1/users')
export class UsersController {
  constructor(private readonly users: ReadUsers) {}

  @Get()
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'get-users',
    scope: 'read',
    summary: 'Lists the users and bots of the organization',
    tags: ['users'],
    description: 'Organizations with public access need no credentials; the response then contains no email addresses.',
    security: ['basic'],
    query: listUsersParameters.published,
    responses: { 200: { description: 'The users', schema: listUsersResponseBody }, ...commonErrorResponses },
  })
  listUsers(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @RequestParameters(listUsersParameters) parameters: DecodedParametersOfDefinition<typeof listUsersParameters>,
  ) {
    return this.users.listVisibleUsers(actor, host, parameters);
  }

  @Get('me')
  @DescribeEndpoint({
    operationId: 'get-own-user',
    scope: 'read',
    summary: 'Returns the account of the user',
    tags: ['users'],
    security: ['basic'],
    responses: { 200: { description: 'The account', schema: ownUserResponseBody }, ...commonErrorResponses },
  })
  getOwnUser(@CurrentActor() actor: ChatActor, @RequestParameters(emptyRequestParameters) _parameters: object) {
    return this.users.getOwnUser(actor);
  }

  @Get(':user_id_or_email')
  @DescribeEndpoint({
    operationId: 'get-user',
    scope: 'read',
    pathParams: userIdOrEmailParameters,
    summary: 'Returns a user by id or email address',
    tags: ['users'],
    security: ['basic'],
    query: getUserParameters.published,
    responses: { 200: { description: 'The account', schema: userResponseBody }, ...commonErrorResponses },
  })
  getUser(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('user_id_or_email') user: string,
    @RequestParameters(getUserParameters) parameters: DecodedParametersOfDefinition<typeof getUserParameters>,
  ) {
    return this.users.getUser(actor, user, parameters);
  }
}
