import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequestBody, notFoundResponseBody, unauthorizedResponseBody } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestHost,
  RequestOrigin,
} from '../../infra/http/parameter-decorators.js';
import {
  fetchApiKeyResponseBody,
  fetchDevelopmentApiKeyParameters,
  listDevelopmentAccountsResponseBody,
  emptyRequestParameters,
} from './authentication.schemas.js';
import { ListDevelopmentAccounts } from './list-development-accounts.query.js';
import { setSessionCookies } from './session-cookies.js';
import { BrowserSessionService } from './sessions.action.js';
import { SignInService } from './sign-in.action.js';

/**
 * Endpoints for signing in without a password. They exist only in development mode and are not registered in
 * production.
 */
@Controller('api/v1')
export class DevelopmentAuthenticationController {
  constructor(
    private readonly signIn: SignInService,
    private readonly sessions: BrowserSessionService,
    private readonly accounts: ListDevelopmentAccounts,
  ) {}

  @Get('dev_list_users')
  @Public()
  @DescribeEndpoint({
    operationId: 'dev-list-users',
    summary: 'Lists accounts for signing in without a password; in development mode only',
    tags: ['authentication'],
    security: 'none',
    responses: {
      200: { description: 'At most 1,000 active accounts of people', schema: listDevelopmentAccountsResponseBody },
      404: { description: 'No organization has this host name', schema: notFoundResponseBody },
    },
  })
  listUsers(
    @RequestParameters(emptyRequestParameters) _parameters: object,
    @RequestHost() host: string,
    @RequestOrigin() origin: string,
  ) {
    return this.accounts.run(host, origin);
  }

  @Post('dev_fetch_api_key')
  @DatabaseWorkOfHandler('authentication')
  @Public()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'dev-fetch-api-key',
    summary: 'Returns the API key of an account by its email address, without a password; in development mode only',
    tags: ['authentication'],
    security: 'none',
    query: fetchDevelopmentApiKeyParameters.published.partial(),
    body: createOpenApiFormBodies(fetchDevelopmentApiKeyParameters).map(({ contentType, schema }) => ({
      contentType,
      schema: schema.partial().optional(),
    })),
    responses: {
      200: { description: 'The key; sets the cookies sessionid and csrftoken', schema: fetchApiKeyResponseBody },
      400: { description: 'A parameter is missing', schema: badRequestBody },
      401: { description: 'The account does not exist or is not active', schema: unauthorizedResponseBody },
    },
  })
  async fetchApiKey(
    @RequestParameters(fetchDevelopmentApiKeyParameters) {
      username,
    }: DecodedParametersOfDefinition<typeof fetchDevelopmentApiKeyParameters>,
    @RequestHost() host: string,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ) {
    const { signedIn, account } = await this.signIn.signInWithoutPassword(host, username);
    setSessionCookies(request, reply, await this.sessions.createSession(account));
    return signedIn;
  }
}
