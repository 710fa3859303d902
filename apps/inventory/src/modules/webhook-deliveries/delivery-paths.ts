import { jsonResponse, type OpenApiNode } from '../../engine/meta/openapi.js';
import { type JsonSchema, orNull } from '../../engine/meta/json-schema.js';
import { webhookDelivery } from '../../models/extras/webhook-delivery.js';
import { emptyFilterText } from './requeue.js';

const problem = { $ref: '#/components/schemas/Problem' };
const refusalSchema = { $ref: '#/components/schemas/Refusal' };
const sharedOperationOptions = { tags: ['extras'], security: [{ tokenAuth: [] }] };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const operation = 'extras_webhook_deliveries';

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
/** OpenAPI schema of HTTP headers by name. Repeated headers are lists. */
const headers: JsonSchema = {
  type: 'object',
  additionalProperties: { anyOf: [text, { type: 'array', items: text }] },
};

const attempt: Readonly<Record<string, JsonSchema>> = {
  number: integer,
  started: { type: 'string', format: 'date-time' },
  duration_ms: integer,
  request_method: orNull(text),
  request_url: orNull(text),
  request_headers: orNull(headers),
  request_body: orNull(text),
  response_status: orNull(integer),
  response_headers: orNull(headers),
  response_body: orNull(text),
  response_truncated: { type: 'boolean' },
  error: orNull(text),
};

const link: JsonSchema = { type: ['string', 'null'], format: 'uri' };

const attemptsPage: JsonSchema = {
  type: 'object',
  properties: {
    count: { type: ['integer', 'null'] },
    next: link,
    previous: link,
    results: {
      type: 'array',
      items: { type: 'object', properties: attempt, required: Object.keys(attempt), additionalProperties: false },
    },
  },
  required: ['count', 'next', 'previous', 'results'],
  additionalProperties: false,
};

const requeued: JsonSchema = {
  type: 'object',
  properties: { requeued: { type: 'integer', minimum: 0 } },
  required: ['requeued'],
  additionalProperties: false,
};

const forbiddenResponse = { 403: jsonResponse('No credentials, or no permission', problem) };
const notFoundResponse = { 404: jsonResponse('No such delivery', problem) };

function operationOptions(name: string): object {
  return {
    operationId: `${operation}_${name}_options`,
    summary: 'Describe the endpoint',
    ...sharedOperationOptions,
    responses: {
      200: jsonResponse('Name, description and media types', { type: 'object', additionalProperties: true }),
      403: jsonResponse('No credentials', problem),
    },
  };
}

function query(name: string, schema: JsonSchema): object {
  return { name, in: 'query', required: false, schema };
}

/** Names of query parameters of lists that a requeue request does not accept. */
const onlyOfLists = new Set(['ordering', 'limit', 'offset', 'start', 'brief', 'fields', 'omit', 'exclude', 'export']);

/** Returns the OpenAPI query parameters that filter the list of deliveries. */
function filtersOf(list: OpenApiNode | undefined): readonly object[] {
  const parameters: unknown = Object(list?.['get']).parameters;
  const all: readonly { readonly name: string }[] = Array.isArray(parameters) ? parameters : [];
  return all.filter(({ name }) => !onlyOfLists.has(name));
}

/** Returns the OpenAPI paths of webhook deliveries in addition to those that every model has. */
export function deliveryPaths(paths: Readonly<Record<string, OpenApiNode>>): Record<string, object> {
  const list = `/api/${webhookDelivery.path}/`;
  return {
    [`${list}{id}/attempts/`]: {
      parameters: [id],
      get: {
        operationId: `${operation}_attempts_list`,
        summary: 'Requests and responses of all attempts',
        ...sharedOperationOptions,
        parameters: ['limit', 'offset', 'start'].map((name) => query(name, integer)),
        responses: {
          200: jsonResponse('A page of attempts; secrets in headers are masked', attemptsPage),
          400: jsonResponse('The request is invalid', refusalSchema),
          ...forbiddenResponse,
          ...notFoundResponse,
        },
      },
      options: operationOptions('attempts'),
    },
    [`${list}{id}/requeue/`]: {
      parameters: [id],
      post: {
        operationId: `${operation}_requeue_create`,
        summary: 'Send a failed delivery again with all its attempts, or a waiting one now',
        ...sharedOperationOptions,
        responses: {
          200: jsonResponse('The queued delivery', { $ref: '#/components/schemas/WebhookDelivery' }),
          ...forbiddenResponse,
          ...notFoundResponse,
          409: jsonResponse('The delivery has neither failed nor is it waiting', problem),
        },
      },
      options: operationOptions('requeue'),
    },
    [`${list}requeue/`]: {
      post: {
        operationId: `${operation}_requeue_bulk_create`,
        summary: 'Send all failed deliveries that match the filters again',
        ...sharedOperationOptions,
        parameters: [...filtersOf(paths[list]), query('all', { type: 'boolean' })],
        responses: {
          200: jsonResponse('Number of tasks', requeued),
          400: jsonResponse(`An invalid filter, or: ${emptyFilterText}`, refusalSchema),
          ...forbiddenResponse,
        },
      },
      options: operationOptions('requeue_bulk'),
    },
  };
}
