import { Controller, Delete, HttpCode, Patch, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import { TextFromUrlPath } from '../../infra/http/url-path-text.js';
import {
  createUserResponseBody,
  createUserParameters,
  deactivateUserParameters,
  emptySuccessResponseBody,
  emptyRequestParameters,
  updateUserParameters,
  userIdPathParameters,
  userIdOrEmailParameters,
} from './accounts.schemas.js';
import { CreateUser } from './create-user.action.js';
import { DeactivateUser } from './deactivate-user.action.js';
import { ReactivateUser } from './reactivate-user.action.js';
import { UpdateUser } from './update-user.action.js';

const emptySuccessOpenApiResponses = {
  200: { description: 'Done', schema: emptySuccessResponseBody },
  ...commonErrorResponses,
};

/** Endpoints with which administrators create, change and deactivate accounts (docs/contract/chat.md 2.F). */
@Controller('api/v1/users')
export class AccountsController {
  constructor(
    private readonly createUser: CreateUser,
    private readonly updateUser: UpdateUser,
    private readonly deactivateUser: DeactivateUser,
    private readonly reactivateUser: ReactivateUser,
  ) {}

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-user',
    summary: 'Creates a user account',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(createUserParameters),
    responses: { 200: { description: 'Made', schema: createUserResponseBody }, ...commonErrorResponses },
  })
  createAccount(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(createUserParameters) parameters: DecodedParametersOfDefinition<typeof createUserParameters>,
  ) {
    return this.createUser.run(actor, parameters);
  }

  @Patch(':user_id_or_email')
  @DescribeEndpoint({
    operationId: 'update-user',
    pathParams: userIdOrEmailParameters,
    summary: 'Updates the account of another user',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(updateUserParameters),
    responses: emptySuccessOpenApiResponses,
  })
  updateAccount(
    @CurrentActor() actor: ChatActor,
    @TextFromUrlPath('user_id_or_email') user: string,
    @RequestParameters(updateUserParameters) parameters: DecodedParametersOfDefinition<typeof updateUserParameters>,
  ) {
    return this.updateUser.run(actor, user, parameters);
  }

  @Delete('me')
  @DescribeEndpoint({
    operationId: 'deactivate-own-user',
    summary: 'Deactivates the account of the user',
    tags: ['users'],
    security: ['basic'],
    responses: emptySuccessOpenApiResponses,
  })
  deactivateOwnAccount(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.deactivateUser.deactivateOwnAccount(actor);
  }

  @Delete(':user_id')
  @DescribeEndpoint({
    operationId: 'deactivate-user',
    pathParams: userIdPathParameters,
    summary: 'Deactivates an account',
    tags: ['users'],
    security: ['basic'],
    body: createOpenApiFormBodies(deactivateUserParameters),
    responses: emptySuccessOpenApiResponses,
  })
  deactivateAccount(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_id') userId: number,
    @RequestParameters(deactivateUserParameters) parameters: DecodedParametersOfDefinition<
      typeof deactivateUserParameters
    >,
  ) {
    return this.deactivateUser.run(actor, userId, parameters);
  }

  @Post(':user_id/reactivate')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'reactivate-user',
    pathParams: userIdPathParameters,
    summary: 'Reactivates an account',
    tags: ['users'],
    security: ['basic'],
    responses: emptySuccessOpenApiResponses,
  })
  reactivateAccount(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('user_id') userId: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.reactivateUser.run(actor, userId);
  }
}
