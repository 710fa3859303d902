import { createOpenApiJsonResponse, type OpenApiPathItem } from '../../engine/meta/openapi-of-models.js';
import { type JsonSchema, createNullableJsonSchema } from '../../engine/meta/json-schema-of-values.js';
import { webhookDeliveryModel } from '../../models/extras/webhook-delivery.js';
import { requeueWithoutFilterMessage } from './delivery-requeue.js';

const problemSchema = { $ref: '#/components/schemas/Problem' };
const validationErrorSchema = { $ref: '#/components/schemas/Refusal' };
const sharedOperationOptions = { tags: ['extras'], security: [{ tokenAuth: [] }] };
const deliveryIdParameter = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
const operationIdPrefix = 'extras_webhook_deliveries';

const textSchema: JsonSchema = { type: 'string' };
const integerSchema: JsonSchema = { type: 'integer' };
/**
 * OpenAPI schema of the HTTP headers of a request or response, by header name. A header that occurs several times is a
 * list.
 */
const httpHeadersSchema: JsonSchema = {
  type: 'object',
  additionalProperties: { anyOf: [textSchema, { type: 'array', items: textSchema }] },
};

const attemptProperties: Readonly<Record<string, JsonSchema>> = {
  number: integerSchema,
  started: { type: 'string', format: 'date-time' },
  duration_ms: integerSchema,
  request_method: createNullableJsonSchema(textSchema),
  request_url: createNullableJsonSchema(textSchema),
  request_headers: createNullableJsonSchema(httpHeadersSchema),
  request_body: createNullableJsonSchema(textSchema),
  response_status: createNullableJsonSchema(integerSchema),
  response_headers: createNullableJsonSchema(httpHeadersSchema),
  response_body: createNullableJsonSchema(textSchema),
  response_truncated: { type: 'boolean' },
  error: createNullableJsonSchema(textSchema),
};

const pageLinkSchema: JsonSchema = { type: ['string', 'null'], format: 'uri' };

const deliveryAttemptsPageSchema: JsonSchema = {
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

const requeuedDeliveryCountSchema: JsonSchema = {
  type: 'object',
  properties: { requeued: { type: 'integer', minimum: 0 } },
  required: ['requeued'],
  additionalProperties: false,
};

const forbiddenResponse = { 403: createOpenApiJsonResponse('No credentials, or no permission', problemSchema) };
const notFoundResponse = { 404: createOpenApiJsonResponse('No such delivery', problemSchema) };

function createOperationOptions(name: string): object {
  return {
    operationId: `${operationIdPrefix}_${name}_options`,
    summary: 'Describe the endpoint',
    ...sharedOperationOptions,
    responses: {
      200: createOpenApiJsonResponse('Name, description and media types', {
        type: 'object',
        additionalProperties: true,
      }),
      403: createOpenApiJsonResponse('No credentials', problemSchema),
    },
  };
}

function createQueryParameter(name: string, schema: JsonSchema): object {
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
function createDeliveryFilterParameters(list: OpenApiPathItem | undefined): readonly object[] {
  const parameters: unknown = Object(list?.['get']).parameters;
  const all: readonly { readonly name: string }[] = Array.isArray(parameters) ? parameters : [];
  return all.filter(({ name }) => !listOnlyParameters.has(name));
}

/**
 * Returns the OpenAPI paths of webhook deliveries that other models do not have, such as the path that requeues
 * deliveries.
 */
export function createDeliveryOpenApiPaths(paths: Readonly<Record<string, OpenApiPathItem>>): Record<string, object> {
  const list = `/api/${webhookDeliveryModel.path}/`;
  return {
    [`${list}{id}/attempts/`]: {
      parameters: [deliveryIdParameter],
      get: {
        operationId: `${operationIdPrefix}_attempts_list`,
        summary: 'Requests and responses of all attempts',
        ...sharedOperationOptions,
        parameters: ['limit', 'offset', 'start'].map((name) => createQueryParameter(name, integerSchema)),
        responses: {
          200: createOpenApiJsonResponse(
            'A page of attempts; secrets in headers are masked',
            deliveryAttemptsPageSchema,
          ),
          400: createOpenApiJsonResponse('The request is invalid', validationErrorSchema),
          ...forbiddenResponse,
          ...notFoundResponse,
        },
      },
      options: createOperationOptions('attempts'),
    },
    [`${list}{id}/requeue/`]: {
      parameters: [deliveryIdParameter],
      post: {
        operationId: `${operationIdPrefix}_requeue_create`,
        summary: 'Send a failed delivery again with all its attempts, or a waiting one now',
        ...sharedOperationOptions,
        responses: {
          200: createOpenApiJsonResponse('The queued delivery', { $ref: '#/components/schemas/WebhookDelivery' }),
          ...forbiddenResponse,
          ...notFoundResponse,
          409: createOpenApiJsonResponse('The delivery has neither failed nor is it waiting', problemSchema),
        },
      },
      options: createOperationOptions('requeue'),
    },
    [`${list}requeue/`]: {
      post: {
        operationId: `${operationIdPrefix}_requeue_bulk_create`,
        summary: 'Send all failed deliveries that match the filters again',
        ...sharedOperationOptions,
        parameters: [...createDeliveryFilterParameters(paths[list]), createQueryParameter('all', { type: 'boolean' })],
        responses: {
          200: createOpenApiJsonResponse('Number of tasks', requeuedDeliveryCountSchema),
          400: createOpenApiJsonResponse(
            `An invalid filter, or: ${requeueWithoutFilterMessage}`,
            validationErrorSchema,
          ),
          ...forbiddenResponse,
        },
      },
      options: createOperationOptions('requeue_bulk'),
    },
  };
}
