import { endpointMethods } from '@switchboard/platform';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import { createOpenApiJsonResponse, createOpenApiOfModels } from '../engine/meta/openapi-of-models.js';
import type { JsonSchema } from '../engine/meta/json-schema-of-values.js';
import { referenceApiRelease } from '../inventory-version.js';
import type { ApiPaths } from './api-paths.js';
import { createOptionsOperation } from './options-openapi-operation.js';

const detailErrorSchema: JsonSchema = {
  type: 'object',
  properties: { detail: { type: 'string' } },
  required: ['detail'],
  additionalProperties: false,
};

/**
 * OpenAPI schema of the body of a validation error. The body is an object with messages by field, a list of messages,
 * or a list. In the third case, the list has one object with messages for each item of the request
 * (docs/contract/inventory.md 1.5).
 */
const validationErrorSchema: JsonSchema = {
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] } },
  ],
};

const namedLinksSchema: JsonSchema = { type: 'object', additionalProperties: { type: 'string', format: 'uri' } };

/**
 * Returns the OpenAPI 3.1 document of the API. `info.version` is the version of the reference API with which the API is
 * compatible.
 */
export function createOpenApiDocument({ registry, slices }: Pick<ApiPaths, 'registry' | 'slices'>): {
  openapi: string;
  info: object;
  paths: Record<string, object>;
  components: object;
} {
  const { paths, schemas } = createOpenApiOfModels(registry);
  const parts = slices.flatMap(({ openApi }) => openApi?.({ registry, paths, schemas }) ?? []);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Inventory REST API',
      version: referenceApiRelease,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    paths: addUnavailableResponses({
      ...createApiMetadataPaths(registry),
      ...paths,
      ...Object.assign({}, ...parts.map((part) => part.paths)),
    }),
    components: {
      responses: { Unavailable: serviceUnavailableResponse },
      schemas: {
        Problem: detailErrorSchema,
        Refusal: validationErrorSchema,
        ...Object.assign({}, ...parts.map((part) => part.schemas)),
        ...schemas,
      },
      securitySchemes: {
        tokenAuth: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: '`Bearer nbt_<key>.<token>`, or `Token <token>` for tokens of version 1.',
        },
      },
    },
  };
}

const retryAfterHeader = {
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated',
    schema: { type: 'integer', minimum: 0 },
  },
};

const serviceUnavailableResponse = {
  ...createOpenApiJsonResponse(
    'The service is overloaded, or a server that it needs cannot be reached; send the request again',
    {
      $ref: '#/components/schemas/Problem',
    },
  ),
  headers: retryAfterHeader,
};

/**
 * Adds a response with status 503 to each OpenAPI operation that has none. Adds the header `Retry-After` to the 503
 * responses that operations already have.
 */
function addUnavailableResponses(paths: Readonly<Record<string, object>>): Record<string, object> {
  const methods: ReadonlySet<string> = new Set(endpointMethods);
  const complete = (operation: { readonly responses?: Readonly<Record<string, object>> }): object => {
    const own = operation.responses?.['503'];
    const response =
      own === undefined ? { $ref: '#/components/responses/Unavailable' } : { ...own, headers: retryAfterHeader };
    return { ...operation, responses: { ...operation.responses, 503: response } };
  };
  const completed = Object.entries(paths).map(([path, item]) => {
    const entries = Object.entries(item as Readonly<Record<string, object>>);
    return [path, Object.fromEntries(entries.map(([key, value]) => [key, methods.has(key) ? complete(value) : value]))];
  });
  return Object.fromEntries(completed) as Record<string, object>;
}

function createGetOperation(operationId: string, summary: string, schema: JsonSchema, open = false): object {
  const denied = open
    ? {}
    : { 403: createOpenApiJsonResponse('No credentials', { $ref: '#/components/schemas/Problem' }) };
  return {
    get: {
      operationId,
      summary,
      tags: ['meta'],
      security: open ? [] : [{ tokenAuth: [] }],
      responses: { 200: createOpenApiJsonResponse(summary, schema), ...denied },
    },
    options: createOptionsOperation(operationId, 'meta', open),
  };
}

function createApiMetadataPaths(registry: ModelRegistry): Record<string, object> {
  const apps = [...new Set(registry.models.map(({ app }) => app)), 'plugins'];
  const appPaths = apps.map((app) => [
    `/api/${app}/`,
    createGetOperation(`${app}_root`, `List the endpoints of ${app}`, namedLinksSchema),
  ]);
  const json: JsonSchema = { type: 'object', additionalProperties: true };
  const schemaPath = {
    get: {
      operationId: 'schema_retrieve',
      summary: 'This document',
      tags: ['meta'],
      security: [],
      parameters: ['format', 'version'].map((name) => ({
        name,
        in: 'query',
        required: false,
        schema: { type: 'string' },
      })),
      responses: {
        200: {
          description: 'This document',
          content: { 'application/json': { schema: json }, 'application/yaml': { schema: { type: 'string' } } },
        },
      },
    },
    options: createOptionsOperation('schema', 'meta', true),
  };
  return {
    '/api/': createGetOperation('root', 'The parts of the API', namedLinksSchema),
    ...Object.fromEntries(appPaths),
    '/api/status/': createGetOperation('status_retrieve', 'Versions and workers', json),
    '/api/authentication-check/': createGetOperation('authentication_check_retrieve', 'The user', {
      $ref: '#/components/schemas/User',
    }),
    '/api/plugins/installed-plugins/': createGetOperation('installed_plugins_list', 'Plugins', {
      type: 'array',
      items: {},
      maxItems: 0,
    }),
    '/api/schema/': schemaPath,
  };
}
