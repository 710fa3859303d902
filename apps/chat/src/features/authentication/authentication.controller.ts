import { Controller, HttpCode, Post } from '@nestjs/common';
import { Public } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import { badRequestBody, unauthorizedResponseBody } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import {
  RequestParameters,
  type DecodedParametersOfDefinition,
  RequestHost,
} from '../../infra/http/parameter-decorators.js';
import { fetchApiKeyResponseBody, fetchApiKeyParameters } from './authentication.schemas.js';
import { SignInService } from './sign-in.action.js';

/** Endpoint for signing in with a password (docs/contract/chat.md 2.B). */
@Controller('api/v1')
export class AuthenticationController {
  constructor(private readonly signIn: SignInService) {}

  @Post('fetch_api_key')
  @DatabaseWorkOfHandler('authentication')
  @Public()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'fetch-api-key',
    summary: 'Returns the API key of an account by its password',
    tags: ['authentication'],
    security: 'none',
    body: createOpenApiFormBodies(fetchApiKeyParameters),
    responses: {
      200: { description: 'The key', schema: fetchApiKeyResponseBody },
      400: { description: 'A parameter is missing', schema: badRequestBody },
      401: { description: 'The password is wrong, or the account is not active', schema: unauthorizedResponseBody },
    },
  })
  fetchApiKey(
    @RequestParameters(fetchApiKeyParameters) {
      username,
      password,
    }: DecodedParametersOfDefinition<typeof fetchApiKeyParameters>,
    @RequestHost() host: string,
  ) {
    return this.signIn.signInWithPassword(host, username, password);
  }
}
