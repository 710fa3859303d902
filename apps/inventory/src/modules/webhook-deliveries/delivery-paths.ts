import { createJsonResponse, type OpenApiNode } from '../../engine/meta/openapi-of-models.js';
import { type JsonSchema, toNullableSchema } from '../../engine/meta/json-schema-of-values.js';
import { webhookDeliveryModel } from '../../models/extras/webhook-delivery.js';
import { requeueWithoutFilterMessage } from './delivery-requeue.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchema = { $ref: '#/components/schemas/Refusal' };
const sharedOperationOptions = { tags: ['extras'], security: [{ tokenAuth: [] }] };
const idParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const operationIdPrefix = 'extras_webhook_deliveries';

const textSchema: JsonSchema = { type: 'string' };
const integerSchema: JsonSchema = { type: 'integer' };
/**
 * OpenAPI schema of the HTTP headers of a request or response, by header name. A header that occurs several times is a
 * list.
 */
const headersSchema: JsonSchema = {
  type: 'object',
  additionalProperties: { anyOf: [textSchema, { type: 'array', items: textSchema }] },
};

const attemptProperties: Readonly<Record<string, JsonSchema>> = {
  number: integerSchema,
  started: { type: 'string', format: 'date-time' },
  duration_ms: integerSchema,
  request_method: toNullableSchema(textSchema),
  request_url: toNullableSchema(textSchema),
  request_headers: toNullableSchema(headersSchema),
  request_body: toNullableSchema(textSchema),
  response_status: toNullableSchema(integerSchema),
  response_headers: toNullableSchema(headersSchema),
  response_body: toNullableSchema(textSchema),
  response_truncated: { type: 'boolean' },
  error: toNullableSchema(textSchema),
};

const pageLinkSchema: JsonSchema = { type: ['string', 'null'], format: 'uri' };

const attemptsPage: JsonSchema = {
  type: 'object',
  properties: {
    count: { type: ['integer', 'null'] },
    next: pageLinkSchema,
    previous: pageLinkSchema,
    results: {
      type: 'array',
      items: {
        type: 'object',
        properties: attemptProperties,
        required: Object.keys(attemptProperties),
        additionalProperties: false,
      },
    },
  },
  required: ['count', 'next', 'previous', 'results'],
  additionalProperties: false,
};

const requeuedSchema: JsonSchema = {
  type: 'object',
  properties: { requeued: { type: 'integer', minimum: 0 } },
  required: ['requeued'],
  additionalProperties: false,
};

const forbiddenResponse = { 403: createJsonResponse('No credentials, or no permission', problemSchema) };
const notFoundResponse = { 404: createJsonResponse('No such delivery', problemSchema) };

function operationOptions(name: string): object {
  return {
    operationId: `${operationIdPrefix}_${name}_options`,
    summary: 'Describe the endpoint',
    ...sharedOperationOptions,
    responses: {
      200: createJsonResponse('Name, description and media types', { type: 'object', additionalProperties: true }),
      403: createJsonResponse('No credentials', problemSchema),
    },
  };
}

function queryParameter(name: string, schema: JsonSchema): object {
  return { name, in: 'query', required: false, schema };
}

/** Names of query parameters that lists accept, but that requests to requeue deliveries do not accept. */
const listOnlyParameters = new Set([
  'ordering',
  'limit',
  'offset',
  'start',
  'brief',
  'fields',
  'omit',
  'exclude',
  'export',
]);

/** Returns the OpenAPI descriptions of the query parameters that filter the list of webhook deliveries. */
function deliveryFilterParameters(list: OpenApiNode | undefined): readonly object[] {
  const parameters: unknown = Object(list?.['get']).parameters;
  const all: readonly { readonly name: string }[] = Array.isArray(parameters) ? parameters : [];
  return all.filter(({ name }) => !listOnlyParameters.has(name));
}

/**
 * Returns the OpenAPI paths of webhook deliveries that other models do not have, such as the path that requeues
 * deliveries.
 */
export function deliveryPaths(paths: Readonly<Record<string, OpenApiNode>>): Record<string, object> {
  const list = `/api/${webhookDeliveryModel.path}/`;
  return {
    [`${list}{id}/attempts/`]: {
      parameters: [idParameter],
      get: {
        operationId: `${operationIdPrefix}_attempts_list`,
        summary: 'Requests and responses of all attempts',
        ...sharedOperationOptions,
        parameters: ['limit', 'offset', 'start'].map((name) => queryParameter(name, integerSchema)),
        responses: {
          200: createJsonResponse('A page of attempts; secrets in headers are masked', attemptsPage),
          400: createJsonResponse('The request is invalid', validationErrorSchema),
          ...forbiddenResponse,
          ...notFoundResponse,
        },
      },
      options: operationOptions('attempts'),
    },
    [`${list}{id}/requeue/`]: {
      parameters: [idParameter],
      post: {
        operationId: `${operationIdPrefix}_requeue_create`,
        summary: 'Send a failed delivery again with all its attempts, or a waiting one now',
        ...sharedOperationOptions,
        responses: {
          200: createJsonResponse('The queued delivery', { $ref: '#/components/schemas/WebhookDelivery' }),
          ...forbiddenResponse,
          ...notFoundResponse,
          409: createJsonResponse('The delivery has neither failed nor is it waiting', problemSchema),
        },
      },
      options: operationOptions('requeue'),
    },
    [`${list}requeue/`]: {
      post: {
        operationId: `${operationIdPrefix}_requeue_bulk_create`,
        summary: 'Send all failed deliveries that match the filters again',
        ...sharedOperationOptions,
        parameters: [...deliveryFilterParameters(paths[list]), queryParameter('all', { type: 'boolean' })],
        responses: {
          200: createJsonResponse('Number of tasks', requeuedSchema),
          400: createJsonResponse(`An invalid filter, or: ${requeueWithoutFilterMessage}`, validationErrorSchema),
          ...forbiddenResponse,
        },
      },
      options: operationOptions('requeue_bulk'),
    },
  };
}
