import { createOpenApiJsonResponse } from '../engine/meta/openapi-of-models.js';

/**
 * Returns the OpenAPI description of the OPTIONS method for a URL path that belongs to no model
 * (docs/contract/inventory.md 1.8).
 */
export function createOptionsOperation(operationId: string, tag: string, open: boolean): object {
  return {
    operationId: `${operationId}_options`,
    summary: 'Describe the endpoint',
    tags: [tag],
    security: open ? [] : [{ tokenAuth: [] }],
    responses: {
      200: createOpenApiJsonResponse('Name, media types, and the allowed methods with their fields', {
        type: 'object',
        additionalProperties: true,
      }),
      ...(open ? {} : { 403: createOpenApiJsonResponse('No credentials', { $ref: '#/components/schemas/Problem' }) }),
    },
  };
}
