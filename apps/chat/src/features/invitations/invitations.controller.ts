import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf, RequestOrigin } from '../../infra/http/parameter-decorators.js';
import { PathId } from '../../infra/http/path-id-schema.js';
import {
  emptySuccessResponseBody,
  invitationPathParameters,
  invitationsResponseBody,
  inviteParameters,
  linkResponseBody,
  multiuseParameters,
  noParameters,
} from './invitations.schemas.js';
import { InviteUsers } from './invite-users.action.js';
import { InvitationsService } from './invitations.action.js';

const invitationsTags = ['invitations'];
const invitationsSecurity = ['basic'];
const invitationsResponses = {
  200: { description: 'Done', schema: emptySuccessResponseBody },
  ...commonErrorResponses,
};

/** Endpoints for invitations (docs/contract/chat.md 2.H). */
@Controller('api/v1/invites')
export class InvitationsController {
  constructor(
    private readonly invite: InviteUsers,
    private readonly invitations: InvitationsService,
  ) {}

  @Get()
  @DescribeEndpoint({
    operationId: 'get-invites',
    summary: 'Lists the invitations that are not accepted yet',
    tags: invitationsTags,
    security: invitationsSecurity,
    responses: { 200: { description: 'The invitations', schema: invitationsResponseBody }, ...commonErrorResponses },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.invitations.list(actor, origin);
  }

  @Post()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'send-invites',
    summary: 'Invites users by email',
    tags: invitationsTags,
    security: invitationsSecurity,
    body: createFormBodies(inviteParameters),
    responses: invitationsResponses,
  })
  send(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @Parameters(inviteParameters) parameters: ParametersOf<typeof inviteParameters>,
  ) {
    return this.invite.inviteByMail(actor, origin, parameters);
  }

  @Post('multiuse')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'create-invite-link',
    summary: 'Creates a reusable invitation link',
    tags: invitationsTags,
    security: invitationsSecurity,
    body: createFormBodies(multiuseParameters),
    responses: { 200: { description: 'The link', schema: linkResponseBody }, ...commonErrorResponses },
  })
  makeLink(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @Parameters(multiuseParameters) parameters: ParametersOf<typeof multiuseParameters>,
  ) {
    return this.invite.createInviteLink(actor, origin, parameters);
  }

  @Delete('multiuse/:invite_id')
  @DescribeEndpoint({
    operationId: 'revoke-invite-link',
    summary: 'Revokes a reusable invitation link',
    tags: invitationsTags,
    security: invitationsSecurity,
    pathParams: invitationPathParameters,
    responses: invitationsResponses,
  })
  revokeLink(
    @CurrentActor() actor: ChatActor,
    @PathId('invite_id') id: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.invitations.revoke(actor, id, true);
  }

  @Delete(':invite_id')
  @DescribeEndpoint({
    operationId: 'revoke-email-invite',
    summary: 'Revokes an email invitation',
    tags: invitationsTags,
    security: invitationsSecurity,
    pathParams: invitationPathParameters,
    responses: invitationsResponses,
  })
  revoke(
    @CurrentActor() actor: ChatActor,
    @PathId('invite_id') id: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.invitations.revoke(actor, id, false);
  }

  @Post(':invite_id/resend')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'resend-email-invite',
    summary: 'Sends an email invitation again',
    tags: invitationsTags,
    security: invitationsSecurity,
    pathParams: invitationPathParameters,
    responses: invitationsResponses,
  })
  resend(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @PathId('invite_id') id: number,
    @Parameters(noParameters) _parameters: object,
  ) {
    return this.invitations.resend(actor, origin, id);
  }
}
