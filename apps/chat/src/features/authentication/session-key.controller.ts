import { Controller, HttpCode, Post } from '@nestjs/common';
import { CurrentActor } from '@switchboard/nest';
import { DatabaseWorkOfHandler, DescribeEndpoint } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { commonErrorResponses, csrfFailedResponseBody } from '../../infra/http/envelope.schemas.js';
import { createFormBodies } from '../../infra/http/openapi-forms.js';
import { Parameters, type ParametersOf } from '../../infra/http/parameter-decorators.js';
import { apiKeyResponseBody, sessionApiKeyParameters } from './authentication.schemas.js';
import { SignInService } from './sign-in.action.js';

/** Endpoints that accept only a browser session for authentication (docs/contract/chat.md 1.2). */
@Controller('json')
export class SessionKeyController {
  constructor(private readonly signIn: SignInService) {}

  @Post('fetch_api_key')
  @DatabaseWorkOfHandler('authentication')
  @HttpCode(200)
  @DescribeEndpoint({
    operationId: 'session-fetch-api-key',
    summary: 'Returns the API key of the user, who repeats the password',
    tags: ['authentication'],
    security: ['session'],
    body: createFormBodies(sessionApiKeyParameters),
    responses: {
      200: { description: 'The key', schema: apiKeyResponseBody },
      ...commonErrorResponses,
      403: { description: 'The CSRF token is missing or wrong', schema: csrfFailedResponseBody },
    },
  })
  fetchApiKey(
    @CurrentActor() actor: ChatActor,
    @Parameters(sessionApiKeyParameters) { password }: ParametersOf<typeof sessionApiKeyParameters>,
  ) {
    return this.signIn.signInWithRepeatedPassword(actor, password);
  }
}
