import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { CurrentActor, Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { sessionCookieName } from '../../infra/http/session-cookie-options.js';
import { badRequestBody, csrfFailedResponseBody, notFoundResponseBody } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { loginPageParameters, loginFormParameters } from './authentication.schemas.js';
import { BrowserSignIn } from './browser-sign-in.action.js';
import { clearSessionCookies } from './session-cookies.js';
import { BrowserSessionService } from './sessions.action.js';
import { sendWebPage, getBrowserVisitor } from './send-web-page.js';

const loginPageResponseDescription = { description: 'The page', contentType: 'text/html' };
const loginErrorResponses = {
  400: { description: 'A parameter is missing', schema: badRequestBody },
  403: { description: 'The CSRF token is missing or wrong', schema: csrfFailedResponseBody },
  404: { description: 'No organization has this host name', schema: notFoundResponseBody },
};

/** Endpoints of the login and logout pages for browsers (docs/contract/chat.md 1.2). */
@Controller()
export class LoginController {
  constructor(
    private readonly browser: BrowserSignIn,
    private readonly sessions: BrowserSessionService,
  ) {}

  @Get('accounts/login')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'login-page',
    summary: 'The sign-in page',
    tags: ['authentication'],
    security: 'none',
    query: loginPageParameters.published,
    responses: { 200: loginPageResponseDescription, ...loginErrorResponses },
  })
  async showLoginPage(
    @CurrentActor() actor: ChatActor | null,
    @RequestParameters(loginPageParameters) { next }: DecodedParametersOfDefinition<typeof loginPageParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(request, reply, await this.browser.getLoginPage(getBrowserVisitor(request, actor), next));
  }

  @Post('accounts/login')
  @DatabaseWorkOfHandler('authentication')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'login',
    summary: 'Signs a browser in: sets the cookies sessionid and csrftoken and redirects to the next page',
    tags: ['authentication'],
    security: 'none',
    body: createOpenApiFormBodies(loginFormParameters),
    responses: {
      303: { description: 'Signed in' },
      401: { ...loginPageResponseDescription, description: 'The account does not exist or is not active' },
      ...loginErrorResponses,
    },
  })
  async submit(
    @CurrentActor() actor: ChatActor | null,
    @RequestParameters(loginFormParameters) sent: DecodedParametersOfDefinition<typeof loginFormParameters>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendWebPage(request, reply, await this.browser.submitLoginForm(getBrowserVisitor(request, actor), sent));
  }

  @Post('logout')
  @Public({ identify: true })
  @DescribeEndpoint({
    operationId: 'logout',
    summary: 'Signs the browser out',
    tags: ['authentication'],
    security: 'none',
    responses: { 303: { description: 'Signed out' }, ...loginErrorResponses },
  })
  async logOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await this.sessions.endSession(request.cookies[sessionCookieName] ?? '');
    clearSessionCookies(request, reply);
    await reply.code(303).header('location', '/accounts/login/').send();
  }
}
