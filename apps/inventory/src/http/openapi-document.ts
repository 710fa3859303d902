import { endpointMethods } from '@switchboard/platform';
import type { Registry } from '../engine/declaration/registry.js';
import { answer, modelApi } from '../engine/meta/openapi.js';
import type { JsonSchema } from '../engine/meta/json-schema.js';
import { allocationPaths } from '../modules/allocation/allocation-paths.js';
import { backgroundPaths, backgroundSchemas } from '../modules/background/background-paths.js';
import { preferencesPaths } from '../modules/preferences/preferences-paths.js';
import { runScriptOperation } from '../modules/scripts/script-paths.js';
import { renderPaths } from '../modules/templates/render-paths.js';
import { deliveryPaths } from '../modules/webhook-deliveries/delivery-paths.js';
import { productVersion } from '../version.js';

const scriptPath = '/api/extras/scripts/{id}/';

const problemSchema: JsonSchema = {
  type: 'object',
  properties: { detail: { type: 'string' } },
  required: ['detail'],
  additionalProperties: false,
};

/**
 * Messages by field, or a list: of messages, or of such maps for the objects of a list
 * (docs/contract/inventory.md 1.5).
 */
const refusalSchema: JsonSchema = {
  anyOf: [
    { type: 'object', additionalProperties: true },
    { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'object', additionalProperties: true }] } },
  ],
};

const links: JsonSchema = { type: 'object', additionalProperties: { type: 'string', format: 'uri' } };

/** The service's OpenAPI 3.1 document. `info.version` is that of the API it speaks. */
export function openApiDocument(registry: Registry): {
  openapi: string;
  info: object;
  paths: Record<string, object>;
  components: object;
} {
  const { paths, schemas } = modelApi(registry);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Inventory REST API',
      version: productVersion,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    paths: withUnavailable({
      ...metaPaths(registry),
      ...paths,
      ...allocationPaths(registry),
      ...choicesPath,
      ...provisionPath,
      ...preferencesPaths,
      ...renderPaths,
      ...backgroundPaths,
      ...deliveryPaths(paths),
      [scriptPath]: { ...paths[scriptPath], post: runScriptOperation },
    }),
    components: {
      responses: { Unavailable: unavailable },
      schemas: {
        Problem: problemSchema,
        Refusal: refusalSchema,
        ProvisionedToken: provisionedToken(schemas),
        ...backgroundSchemas,
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

const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before the request is repeated',
    schema: { type: 'integer', minimum: 0 },
  },
};

const unavailable = {
  ...answer('The service is overloaded, or a server that it needs cannot be reached; send the request again', {
    $ref: '#/components/schemas/Problem',
  }),
  headers: retryAfter,
};

/** Adds the response 503 to every operation that declares none, and the header to those that do. */
function withUnavailable(paths: Readonly<Record<string, object>>): Record<string, object> {
  const methods: ReadonlySet<string> = new Set(endpointMethods);
  const complete = (operation: { readonly responses?: Readonly<Record<string, object>> }): object => {
    const own = operation.responses?.['503'];
    const response =
      own === undefined ? { $ref: '#/components/responses/Unavailable' } : { ...own, headers: retryAfter };
    return { ...operation, responses: { ...operation.responses, 503: response } };
  };
  const completed = Object.entries(paths).map(([path, item]) => {
    const entries = Object.entries(item as Readonly<Record<string, object>>);
    return [path, Object.fromEntries(entries.map(([key, value]) => [key, methods.has(key) ? complete(value) : value]))];
  });
  return Object.fromEntries(completed) as Record<string, object>;
}

/** A token as provisioning answers it: its secret is there, its pepper is not (docs/contract/inventory.md 1.2). */
function provisionedToken(schemas: Readonly<Record<string, JsonSchema>>): JsonSchema {
  const { pepper_id: _pepper, ...properties } = schemas['Token']?.properties ?? {};
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

function read(operationId: string, summary: string, schema: JsonSchema, open = false): object {
  const denied = open ? {} : { 403: answer('No credentials', { $ref: '#/components/schemas/Problem' }) };
  return {
    get: {
      operationId,
      summary,
      tags: ['meta'],
      security: open ? [] : [{ tokenAuth: [] }],
      responses: { 200: answer(summary, schema), ...denied },
    },
    options: describe(operationId, 'meta', open),
  };
}

/** OPTIONS on a path that is no model's (docs/contract/inventory.md 1.8). */
function describe(operationId: string, tag: string, open: boolean): object {
  return {
    operationId: `${operationId}_options`,
    summary: 'Describe the endpoint',
    tags: [tag],
    security: open ? [] : [{ tokenAuth: [] }],
    responses: {
      200: answer('Name, media types, and the allowed methods with their fields', {
        type: 'object',
        additionalProperties: true,
      }),
      ...(open ? {} : { 403: answer('No credentials', { $ref: '#/components/schemas/Problem' }) }),
    },
  };
}

function metaPaths(registry: Registry): Record<string, object> {
  const apps = [...new Set(registry.models.map(({ app }) => app)), 'plugins'];
  const appPaths = apps.map((app) => [`/api/${app}/`, read(`${app}_root`, `List the endpoints of ${app}`, links)]);
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
    options: describe('schema', 'meta', true),
  };
  return {
    '/api/': read('root', 'The parts of the API', links),
    ...Object.fromEntries(appPaths),
    '/api/status/': read('status_retrieve', 'Versions and workers', json),
    '/api/authentication-check/': read('authentication_check_retrieve', 'The user', {
      $ref: '#/components/schemas/User',
    }),
    '/api/plugins/installed-plugins/': read('installed_plugins_list', 'Plugins', {
      type: 'array',
      items: {},
      maxItems: 0,
    }),
    '/api/schema/': schemaPath,
  };
}

const choicesPath = {
  '/api/extras/custom-field-choice-sets/{id}/choices/': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
    get: {
      operationId: 'extras_custom_field_choice_sets_choices_list',
      summary: 'List the choices of a choice set',
      tags: ['extras'],
      security: [{ tokenAuth: [] }],
      parameters: ['q', 'limit', 'offset', 'start'].map((name) => ({
        name,
        in: 'query',
        required: false,
        schema: { type: name === 'q' ? 'string' : 'integer' },
      })),
      responses: {
        200: answer('A page of choices', {
          type: 'object',
          properties: {
            count: { type: ['integer', 'null'] },
            next: { type: ['string', 'null'], format: 'uri' },
            previous: { type: ['string', 'null'], format: 'uri' },
            results: {
              type: 'array',
              items: {
                type: 'object',
                properties: { id: { type: 'string' }, display: { type: 'string' } },
                required: ['id', 'display'],
                additionalProperties: false,
              },
            },
          },
          required: ['count', 'next', 'previous', 'results'],
          additionalProperties: false,
        }),
        400: answer('The request is invalid', { $ref: '#/components/schemas/Refusal' }),
        403: answer('No permission', { $ref: '#/components/schemas/Problem' }),
        404: answer('The choice set does not exist', { $ref: '#/components/schemas/Problem' }),
      },
    },
    options: describe('extras_custom_field_choice_sets_choices', 'extras', false),
  },
};

const provisionPath = {
  '/api/users/tokens/provision/': {
    options: describe('users_tokens_provision', 'users', true),
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
        201: answer('The token, with its secret', { $ref: '#/components/schemas/ProvisionedToken' }),
        400: answer('The request is invalid', { $ref: '#/components/schemas/Refusal' }),
        403: answer('The user name or the password is wrong', { $ref: '#/components/schemas/Problem' }),
        429: answer('Too many logins have failed', { $ref: '#/components/schemas/Problem' }),
      },
    },
  },
};
