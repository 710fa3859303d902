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
import { jwtFetchApiKeyParameters, jwtApiKeyResponseBody } from './authentication.schemas.js';
import { JsonWebTokenSignIn } from './token-sign-in.action.js';

/** Endpoint for signing in with a JSON web token that another service has issued (docs/contract/chat.md 2.B). */
@Controller('api/v1/jwt')
export class JwtAuthenticationController {
  constructor(private readonly signIn: JsonWebTokenSignIn) {}

  @Post('fetch_api_key')
  @DatabaseWorkOfHandler('authentication')
  @Public()
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'jwt-fetch-api-key',
    summary: 'Returns the API key of an account by a JSON web token of another service',
    tags: ['authentication'],
    security: 'none',
    body: createOpenApiFormBodies(jwtFetchApiKeyParameters),
    responses: {
      200: { description: 'The key', schema: jwtApiKeyResponseBody },
      400: { description: 'The token is not accepted, or the endpoint is not configured', schema: badRequestBody },
      401: { description: 'The account does not exist or is not active', schema: unauthorizedResponseBody },
    },
  })
  fetchApiKey(
    @RequestParameters(jwtFetchApiKeyParameters) parameters: DecodedParametersOfDefinition<
      typeof jwtFetchApiKeyParameters
    >,
    @RequestHost() host: string,
  ) {
    return this.signIn.run(host, parameters);
  }
}
