import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { badRequestBody, csrfFailedResponseBody } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import { sendWebPage, getBrowserVisitor } from '../authentication/index.js';
import { PasswordResetPages } from './password-reset-pages.action.js';
import {
  emptyRequestParameters,
  passwordResetRequestParameters,
  newPasswordParameters,
  resetPathParameters,
} from './password-reset.schemas.js';

const passwordResetPageResponse = { description: 'The page', contentType: 'text/html' };
const invalidResetLinkResponse = {
  404: { ...passwordResetPageResponse, description: 'The link is invalid or has expired' },
};
const formErrorResponses = {
  422: { ...passwordResetPageResponse, description: 'The form again, with the reason why a value is not accepted' },
  400: { description: 'A parameter is invalid', schema: badRequestBody },
  403: { description: 'The CSRF token is missing or wrong', schema: csrfFailedResponseBody },
};

/** Web pages with which users reset forgotten passwords by mail (docs/contract/chat.md 1.7). */
@Controller('accounts/password/reset')
export class PasswordResetController {
  constructor(private readonly pages: PasswordResetPages) {}

  @Get()
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'password-reset-page',
    summary: 'The page that requests a link for a new password',
    tags: ['authentication'],
    security: 'none',
    responses: { 200: passwordResetPageResponse },
  })
  async showRequestForm(
    @CurrentActor() actor: ChatActor | null,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(request, reply, await this.pages.renderRequestPage(getBrowserVisitor(request, actor)));
  }

  @Post()
  @DatabaseWorkOfHandler('authentication')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'request-password-reset',
    summary: 'Mails a link for a new password if an account has the address; the response is the same otherwise',
    tags: ['authentication'],
    security: 'none',
    body: createOpenApiFormBodies(passwordResetRequestParameters),
    responses: { 200: passwordResetPageResponse, ...formErrorResponses },
  })
  async requestResetLink(
    @CurrentActor() actor: ChatActor | null,
    @RequestParameters(passwordResetRequestParameters) {
      email,
    }: DecodedParametersOfDefinition<typeof passwordResetRequestParameters>,
    @RequestOrigin() origin: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(
      request,
      reply,
      await this.pages.requestPasswordReset(getBrowserVisitor(request, actor), origin, email),
    );
  }

  @Get(':token')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'new-password-page',
    summary: 'The page that sets a new password by the link in a mail',
    tags: ['authentication'],
    security: 'none',
    pathParams: resetPathParameters,
    responses: { 200: passwordResetPageResponse, ...invalidResetLinkResponse },
  })
  async showPasswordForm(
    @CurrentActor() actor: ChatActor | null,
    @Param('token') token: string,
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(request, reply, await this.pages.renderSetPasswordPage(getBrowserVisitor(request, actor), token));
  }

  @Post(':token')
  @DatabaseWorkOfHandler('authentication')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'reset-password',
    summary: 'Sets a new password by the link in a mail, and ends the sessions of the account',
    tags: ['authentication'],
    security: 'none',
    pathParams: resetPathParameters,
    body: createOpenApiFormBodies(newPasswordParameters),
    responses: { 200: passwordResetPageResponse, ...formErrorResponses, ...invalidResetLinkResponse },
  })
  async setPassword(
    @CurrentActor() actor: ChatActor | null,
    @Param('token') token: string,
    @RequestParameters(newPasswordParameters) { password }: DecodedParametersOfDefinition<typeof newPasswordParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(request, reply, await this.pages.setPassword(getBrowserVisitor(request, actor), token, password));
  }
}
