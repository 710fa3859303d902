import { Controller, Get } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { Parameters, type ParametersOf, RequestHost } from '../../infra/http/parameter-decorators.js';
import { PathText } from '../../infra/http/path-text.js';
import { ReadUsers } from './read-users.query.js';
import {
  getUserParameters,
  listUsersResponseBody,
  listUsersParameters,
  noUserParameters,
  ownUserResponseBody,
  userResponseBody,
  userPathParameters,
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
  list(
    @CurrentActor() actor: ChatActor | null,
    @RequestHost() host: string,
    @Parameters(listUsersParameters) parameters: ParametersOf<typeof listUsersParameters>,
  ) {
    return this.users.list(actor, host, parameters);
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
  getOwn(@CurrentActor() actor: ChatActor, @Parameters(noUserParameters) _parameters: object) {
    return this.users.getOwn(actor);
  }

  @Get(':user_id_or_email')
  @DescribeEndpoint({
    operationId: 'get-user',
    scope: 'read',
    pathParams: userPathParameters,
    summary: 'Returns a user by id or email address',
    tags: ['users'],
    security: ['basic'],
    query: getUserParameters.published,
    responses: { 200: { description: 'The account', schema: userResponseBody }, ...commonErrorResponses },
  })
  get(
    @CurrentActor() actor: ChatActor,
    @PathText('user_id_or_email') user: string,
    @Parameters(getUserParameters) parameters: ParametersOf<typeof getUserParameters>,
  ) {
    return this.users.get(actor, user, parameters);
  }
}
