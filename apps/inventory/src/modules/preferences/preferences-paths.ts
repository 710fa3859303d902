import type { JsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { createOpenApiJsonResponse } from '../../engine/meta/openapi-of-models.js';
import type { AllowedPathMethods } from '../../http/define-slice.js';

/** Allowed HTTP methods of the URL paths of the user's preferences and dashboard. */
export const allowedPreferencesMethods: readonly AllowedPathMethods[] = [
  { path: /^\/api\/users\/config\/$/, methods: ['GET', 'HEAD', 'OPTIONS', 'PATCH'] },
  { path: /^\/api\/extras\/dashboard\/$/, methods: ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT'] },
];

const anyObjectSchema: JsonSchema = { type: 'object', additionalProperties: true };
const dashboardPropertySchemas = { layout: {}, config: {} };
const dashboardSchema: JsonSchema = {
  type: 'object',
  properties: dashboardPropertySchemas,
  required: Object.keys(dashboardPropertySchemas),
  additionalProperties: false,
};

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchema = { $ref: '#/components/schemas/Refusal' };
const forbiddenResponse = {
  403: createOpenApiJsonResponse('No credentials, or a token that may only read', problemSchema),
};

/** Returns the OpenAPI description of an operation that reads or changes data of the requesting user. */
function createOwnDataOperation(tag: string, operationId: string, summary: string, shape: JsonSchema): object {
  return {
    operationId,
    summary,
    tags: [tag],
    security: [{ tokenAuth: [] }],
    responses: { 200: createOpenApiJsonResponse(summary, shape), ...forbiddenResponse },
  };
}

function createOwnDataWriteOperation(tag: string, operationId: string, summary: string, shape: JsonSchema): object {
  const written: JsonSchema = { type: 'object', properties: shape.properties ?? {}, additionalProperties: true };
  return {
    ...createOwnDataOperation(tag, operationId, summary, shape),
    requestBody: { required: false, content: { 'application/json': { schema: written } } },
    responses: {
      200: createOpenApiJsonResponse(summary, shape),
      400: createOpenApiJsonResponse('The request is invalid', validationErrorSchema),
      ...forbiddenResponse,
    },
  };
}

const createOwnDataOptionsOperation = (tag: string, operationId: string): object =>
  createOwnDataOperation(tag, `${operationId}_options`, 'Describe the endpoint', anyObjectSchema);

/** OpenAPI paths of the user's preferences and dashboard. */
export const preferencesOpenApiPaths: Readonly<Record<string, object>> = {
  '/api/users/config/': {
    get: createOwnDataOperation('users', 'users_config_retrieve', "The user's preferences", anyObjectSchema),
    patch: createOwnDataWriteOperation(
      'users',
      'users_config_partial_update',
      "Update the user's preferences",
      anyObjectSchema,
    ),
    options: createOwnDataOptionsOperation('users', 'users_config'),
  },
  '/api/extras/dashboard/': {
    get: createOwnDataOperation('extras', 'extras_dashboard_retrieve', "The user's dashboard", dashboardSchema),
    put: createOwnDataWriteOperation(
      'extras',
      'extras_dashboard_update',
      "Replace the user's dashboard",
      dashboardSchema,
    ),
    patch: createOwnDataWriteOperation(
      'extras',
      'extras_dashboard_partial_update',
      "Update the user's dashboard",
      dashboardSchema,
    ),
    delete: {
      ...createOwnDataOperation('extras', 'extras_dashboard_destroy', "Delete the user's dashboard", dashboardSchema),
      responses: { 204: { description: 'The task is removed' }, ...forbiddenResponse },
    },
    options: createOwnDataOptionsOperation('extras', 'extras_dashboard'),
  },
};
