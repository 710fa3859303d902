import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DatabaseWork, DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { badRequestBody, csrfFailedBody } from '../../infra/http/envelope.schemas.js';
import { formBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf, RequestOrigin } from '../../infra/http/parameter-decorators.js';
import { sendPage, visitorOf } from '../authentication/index.js';
import { PasswordResetPages } from './password-reset-pages.action.js';
import { noParameters, requestResetParameters, resetPasswordParameters, resetPath } from './password-reset.schemas.js';

const resetPage = { description: 'The page', contentType: 'text/html' };
const invalidLink = { 404: { ...resetPage, description: 'The link is invalid or has expired' } };
const formErrors = {
  422: { ...resetPage, description: 'The form again, with the reason why a value is not accepted' },
  400: { description: 'A parameter is invalid', schema: badRequestBody },
  403: { description: 'The CSRF token is missing or wrong', schema: csrfFailedBody },
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
    responses: { 200: resetPage },
  })
  async show(
    @CurrentActor() actor: ChatActor | null,
    @Parameters(noParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendPage(request, reply, await this.pages.requestPage(visitorOf(request, actor)));
  }

  @Post()
  @DatabaseWork('authentication')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'request-password-reset',
    summary: 'Mails a link for a new password if an account has the address; the response is the same otherwise',
    tags: ['authentication'],
    security: 'none',
    body: formBodies(requestResetParameters),
    responses: { 200: resetPage, ...formErrors },
  })
  async request(
    @CurrentActor() actor: ChatActor | null,
    @Parameters(requestResetParameters) { email }: ParametersOf<typeof requestResetParameters>,
    @RequestOrigin() origin: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendPage(request, reply, await this.pages.request(visitorOf(request, actor), origin, email));
  }

  @Get(':token')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'new-password-page',
    summary: 'The page that sets a new password by the link in a mail',
    tags: ['authentication'],
    security: 'none',
    pathParams: resetPath,
    responses: { 200: resetPage, ...invalidLink },
  })
  async showPasswordForm(
    @CurrentActor() actor: ChatActor | null,
    @Param('token') token: string,
    @Parameters(noParameters) _parameters: object,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendPage(request, reply, await this.pages.passwordPage(visitorOf(request, actor), token));
  }

  @Post(':token')
  @DatabaseWork('authentication')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'reset-password',
    summary: 'Sets a new password by the link in a mail, and ends the sessions of the account',
    tags: ['authentication'],
    security: 'none',
    pathParams: resetPath,
    body: formBodies(resetPasswordParameters),
    responses: { 200: resetPage, ...formErrors, ...invalidLink },
  })
  async setPassword(
    @CurrentActor() actor: ChatActor | null,
    @Param('token') token: string,
    @Parameters(resetPasswordParameters) { password }: ParametersOf<typeof resetPasswordParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendPage(request, reply, await this.pages.setPassword(visitorOf(request, actor), token, password));
  }
}
