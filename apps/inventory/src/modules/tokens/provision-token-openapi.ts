import type { JsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import { createOptionsOperation } from '../../http/options-openapi-operation.js';

/** OpenAPI path of the endpoint that creates an API token from a user name and password. */
export const tokenProvisionOpenApiPaths = {
  '/api/users/tokens/provision/': {
    options: createOptionsOperation('users_tokens_provision', 'users', true),
    post: {
      operationId: 'users_tokens_provision_create',
      summary: 'Create a token by user name and password',
      tags: ['users'],
      security: [],
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: { username: { type: 'string' }, password: { type: 'string' } },
              required: ['username', 'password'],
              additionalProperties: true,
            },
          },
        },
      },
      responses: {
        201: createOpenApiJsonResponse('The token, with its secret', { $ref: '#/components/schemas/ProvisionedToken' }),
        400: createOpenApiJsonResponse('The request is invalid', { $ref: '#/components/schemas/Refusal' }),
        403: createOpenApiJsonResponse('The user name or the password is wrong', {
          $ref: '#/components/schemas/Problem',
        }),
        429: createOpenApiJsonResponse('Too many logins have failed', { $ref: '#/components/schemas/Problem' }),
      },
    },
  },
};

/**
 * Returns the OpenAPI schema of an API token that was created from a user name and password. The schema contains the
 * secret, but not the pepper id (docs/contract/inventory.md 1.2).
 */
export function createProvisionedTokenSchema(schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { pepper_id: _pepper, ...properties } = schemas['Token']?.properties ?? {};
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}
