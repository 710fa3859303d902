import { collectEndpoints, createOpenApiDocument, type OpenApiDocument } from '@switchboard/platform';
import { allControllers } from './controllers.js';
import { withWireFormat } from './http/openapi-forms.js';
import { tooManyRequestsBody, unavailableBody } from './http/envelope.schemas.js';

const retryAfter = { 'Retry-After': { description: 'Seconds to wait before the request is repeated' } } as const;

/** The published contract of the service, made from the schemas that it validates by. */
export function chatContract(): OpenApiDocument {
  return createOpenApiDocument({
    title: 'Switchboard chat',
    version: '0.1.0',
    description:
      'Team chat on the Zulip REST API. Parameters of type string travel raw, all others as JSON text; ' +
      'every verb but GET takes them as a form, in either encoding, or in the query. ' +
      'Every path under /api/v1 also answers under /json, to browsers that sign with a session.',
    endpoints: collectEndpoints(allControllers).map(withWireFormat),
    commonResponses: {
      429: {
        description: 'Asked too often; the header Retry-After says when to ask again',
        schema: tooManyRequestsBody,
        headers: retryAfter,
      },
      503: {
        description: 'Overloaded, or a server that the service needs is away; the request may be repeated',
        schema: unavailableBody,
        headers: retryAfter,
      },
    },
    securitySchemes: {
      session: {
        type: 'apiKey',
        in: 'cookie',
        name: 'sessionid',
        description:
          'The cookie of a browser that signed in; with the header X-CSRFToken on whatever changes something',
      },
      basic: { type: 'http', scheme: 'basic', description: "The account's email address and its API key" },
    },
  });
}
