import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { csrfFailedResponseBody, badRequestBody } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { sendWebPage, getBrowserVisitor } from '../authentication/index.js';
import { JoinPages } from './join-pages.action.js';
import {
  invitationPageFormParameters,
  invitationPagePathParameters,
  emptyRequestParameters,
} from './registration.schemas.js';

const registrationPageResponse = { description: 'The page', contentType: 'text/html' };
const invalidInvitationLinkResponse = {
  404: { ...registrationPageResponse, description: 'The link is invalid or has expired' },
};

/** Web pages where invited users sign up. */
@Controller('join')
export class RegistrationController {
  constructor(private readonly pages: JoinPages) {}

  @Get(':token')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'join-page',
    summary: 'The sign-up page of an invitation',
    tags: ['invitations'],
    security: 'none',
    pathParams: invitationPagePathParameters,
    responses: { 200: registrationPageResponse, ...invalidInvitationLinkResponse },
  })
  async showInvitationPage(
    @CurrentActor() actor: ChatActor | null,
    @Param('token') token: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(request, reply, await this.pages.renderInvitationPage(getBrowserVisitor(request, actor), token));
  }

  @Post(':token')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'join',
    summary: 'Creates the account of an invited user, or sends a confirmation link to the address',
    tags: ['invitations'],
    security: 'none',
    pathParams: invitationPagePathParameters,
    body: createOpenApiFormBodies(invitationPageFormParameters),
    responses: {
      200: { ...registrationPageResponse, description: 'The confirmation link is sent' },
      303: { description: 'Joined, and signed in' },
      422: { ...registrationPageResponse, description: 'The form again, with the reason why a value is not accepted' },
      400: { description: 'A parameter is invalid', schema: badRequestBody },
      403: { description: 'The CSRF token is missing or wrong', schema: csrfFailedResponseBody },
      ...invalidInvitationLinkResponse,
    },
  })
  async submitInvitationForm(
    @CurrentActor() actor: ChatActor | null,
    @Param('token') token: string,
    @RequestParameters(invitationPageFormParameters) form: DecodedParametersOfDefinition<
      typeof invitationPageFormParameters
    >,
    @RequestOrigin() origin: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(
      request,
      reply,
      await this.pages.submitInvitationForm(getBrowserVisitor(request, actor), token, origin, form),
    );
  }
}
