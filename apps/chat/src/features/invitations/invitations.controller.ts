import { Controller, Delete, Get, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { IdFromUrlPath } from '../../infra/http/url-path-id-schema.js';
import {
  emptySuccessResponseBody,
  invitationPathParameters,
  invitationListResponseBody,
  emailInvitationParameters,
  invitationLinkResponseBody,
  reusableInvitationLinkParameters,
  emptyRequestParameters,
} from './invitations.schemas.js';
import { InviteUsers } from './invite-users.action.js';
import { InvitationsService } from './invitations.action.js';

const invitationsTags = ['invitations'];
const invitationsSecurity = ['basic'];
const emptyInvitationResponses = {
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
    responses: { 200: { description: 'The invitations', schema: invitationListResponseBody }, ...commonErrorResponses },
  })
  list(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
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
    body: createOpenApiFormBodies(emailInvitationParameters),
    responses: emptyInvitationResponses,
  })
  sendByMail(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @RequestParameters(emailInvitationParameters) parameters: DecodedParametersOfDefinition<
      typeof emailInvitationParameters
    >,
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
    body: createOpenApiFormBodies(reusableInvitationLinkParameters),
    responses: { 200: { description: 'The link', schema: invitationLinkResponseBody }, ...commonErrorResponses },
  })
  createReusableLink(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @RequestParameters(reusableInvitationLinkParameters) parameters: DecodedParametersOfDefinition<
      typeof reusableInvitationLinkParameters
    >,
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
    responses: emptyInvitationResponses,
  })
  revokeReusableLink(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('invite_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
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
    responses: emptyInvitationResponses,
  })
  revoke(
    @CurrentActor() actor: ChatActor,
    @IdFromUrlPath('invite_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
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
    responses: emptyInvitationResponses,
  })
  resend(
    @CurrentActor() actor: ChatActor,
    @RequestOrigin() origin: string,
    @IdFromUrlPath('invite_id') id: number,
    @RequestParameters(emptyRequestParameters) _parameters: object,
  ) {
    return this.invitations.resend(actor, origin, id);
  }
}
