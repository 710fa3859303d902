import { Controller, Get } from '@nestjs/common';
import { CurrentActor } from '@switchboard/auth';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../access/actor.js';
import { commonErrors } from '../../http/envelope.schemas.js';
import { Parameters, type ParametersOf } from '../../http/parameter-decorators.js';
import { ReadUsers } from './read-users.query.js';
import { getOwnUserParameters, listUsersBody, listUsersParameters, ownUserBody } from './users.schemas.js';

/** Accounts (chat-contract 2.F). */
@Controller('api/v1/users')
export class UsersController {
  constructor(private readonly users: ReadUsers) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-users',
    summary: 'Lists the people and bots of the organization',
    tags: ['users'],
    security: ['basic'],
    query: listUsersParameters.published,
    responses: { 200: { description: 'The users', schema: listUsersBody }, ...commonErrors },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @Parameters(listUsersParameters) parameters: ParametersOf<typeof listUsersParameters>,
  ) {
    return this.users.list(actor, parameters);
  }

  @Get('me')
  @DescribeEndpoint({
    operationId: 'get-own-user',
    summary: "Shows the requester's own account",
    tags: ['users'],
    security: ['basic'],
    responses: { 200: { description: 'The account', schema: ownUserBody }, ...commonErrors },
  })
  getOwn(@CurrentActor() actor: ChatActor, @Parameters(getOwnUserParameters) _parameters: object) {
    return this.users.getOwn(actor);
  }
}
