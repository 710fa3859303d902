import { collectEndpoints, createOpenApiDocument, type OpenApiDocument } from '@switchboard/platform';
import { allControllers } from './controllers.js';

/** The published contract of the service, made from the schemas that it validates by. */
export function chatContract(): OpenApiDocument {
  return createOpenApiDocument({
    title: 'Switchboard chat',
    version: '0.1.0',
    description:
      'Team chat on the Zulip REST API. Parameters of type string travel raw, all others as JSON text; ' +
      'every verb but GET takes them as a form, in either encoding, or in the query.',
    endpoints: collectEndpoints(allControllers),
    securitySchemes: {
      basic: { type: 'http', scheme: 'basic', description: "The account's email address and its API key" },
    },
  });
}
