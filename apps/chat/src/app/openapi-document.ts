import { collectEndpoints, createOpenApiDocument, type OpenApiDocument } from '@switchboard/platform';
import { addScopeToEndpointDescription } from '../infra/http/api-key-scopes.js';
import { withParameterEncoding } from '../infra/http/openapi-forms.js';
import { tooManyRequestsResponseBody, serviceUnavailableResponseBody } from '../infra/http/envelope.schemas.js';
import { createFeatureModules } from './create-service-slices.js';

/** All controllers whose endpoints the OpenAPI document describes. */
const controllersDescribedByOpenApi = createFeatureModules.flatMap((slice) => [
  ...slice.controllers,
  ...slice.developmentControllers,
]);

const retryAfterHeaderDescription = {
  'Retry-After': { description: 'Seconds to wait before the request is repeated' },
} as const;

const rateLimitHeaderDescriptions = {
  RateLimit: { description: 'Remaining requests of each policy, and seconds until further ones', type: 'string' },
  'RateLimit-Policy': { description: 'Requests and seconds of each policy that applies', type: 'string' },
} as const;

/** Returns the OpenAPI document of the service, generated from its validation schemas. */
export function createChatOpenApiDocument(): OpenApiDocument {
  return createOpenApiDocument({
    title: 'Switchboard chat',
    version: '0.1.0',
    description:
      'Team chat with the Zulip REST API. Parameters of type string are sent as plain text, all others as JSON text. ' +
      'All methods but GET accept them as a form, in either encoding, or in the query. ' +
      'Each path below /api/v1 also exists below /json, for browsers with a session. ' +
      'Responses to requests with a rate limit have the headers `RateLimit` and `RateLimit-Policy` of the IETF draft ' +
      'and `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset`. ' +
      'The security requirement of an operation lists the scope that an API key with scopes needs: read, send or ' +
      'administer, which includes the others. The API key of an account without scopes may use every operation.',
    endpoints: collectEndpoints(controllersDescribedByOpenApi)
      .map(withParameterEncoding)
      .map(addScopeToEndpointDescription),
    commonResponses: {
      429: {
        description: 'Too many requests; the header Retry-After is the number of seconds to wait',
        schema: tooManyRequestsResponseBody,
        headers: { ...retryAfterHeaderDescription, ...rateLimitHeaderDescriptions },
      },
      503: {
        description: 'The service is overloaded, or a server that it needs cannot be reached; send the request again',
        schema: serviceUnavailableResponseBody,
        headers: retryAfterHeaderDescription,
      },
    },
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'sessionid',
        description:
          'The session cookie of a browser that signed in; requests that change data also need the header X-CSRFToken',
      },
      key: {
        type: 'apiKey',
        in: 'query',
        name: 'api_key',
        description: 'The API key of a bot, for webhooks of services that cannot send a header',
      },
      basic: { type: 'http', scheme: 'basic', description: "The account's email address and its API key" },
    },
  });
}
