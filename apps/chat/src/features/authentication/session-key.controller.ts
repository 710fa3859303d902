import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, csrfFailedResponseBody } from '../../infra/http/envelope.schemas.js';
import { createOpenApiFormBodies } from '../../infra/http/openapi-forms.js';
import { RequestParameters, type DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { fetchApiKeyResponseBody, fetchSessionApiKeyParameters } from './authentication.schemas.js';
import { SignInService } from './sign-in.action.js';

/** Endpoints that accept only a browser session for authentication (docs/contract/chat.md 1.2). */
@Controller('json')
export class BrowserSessionApiKeyController {
  constructor(private readonly signIn: SignInService) {}

  @Post('fetch_api_key')
  @DatabaseWorkOfHandler('authentication')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'session-fetch-api-key',
    summary: 'Returns the API key of the user, who repeats the password',
    tags: ['authentication'],
    security: ['session'],
    body: createOpenApiFormBodies(fetchSessionApiKeyParameters),
    responses: {
      200: { description: 'The key', schema: fetchApiKeyResponseBody },
      ...commonErrorResponses,
      403: { description: 'The CSRF token is missing or wrong', schema: csrfFailedResponseBody },
    },
  })
  fetchApiKey(
    @CurrentActor() actor: ChatActor,
    @RequestParameters(fetchSessionApiKeyParameters) {
      password,
    }: DecodedParametersOfDefinition<typeof fetchSessionApiKeyParameters>,
  ) {
    return this.signIn.signInWithRepeatedPassword(actor, password);
  }
}
