import type { QueueTx, TransactionHandle } from '@switchboard/queue';
import { z } from 'zod';
import {
  deliveryAttemptQuerySchema,
  deliveryDetailSchema,
  deliveryFilterSchema,
  deliveryPageSchema,
  deliveryQuerySchema,
  requeueResultSchema,
} from './deliveries/delivery-schemas.js';
import {
  endpointChangeSchema,
  endpointPageSchema,
  endpointSchema,
  endpointWithSecretSchema,
  newEndpointSchema,
  listPageQuerySchema,
  endpointSecretRotationSchema,
} from './endpoints/endpoint-schemas.js';
import { parseWebhookInput } from './parse-webhook-input.js';
import type { Webhooks } from './webhooks.js';

/**
 * A request that the service has authenticated. `owner` is the tenant of the user who sent the request, or `''` in a
 * service without tenants.
 */
export interface WebhookRequest {
  readonly owner: string;
  /** Values of the path parameters of the request, such as `id`. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** Parsed query parameters of the request. */
  readonly query?: unknown;
  /** Parsed JSON body of the request. */
  readonly body?: unknown;
}

/** An HTTP route that a service can mount under any path, with any framework. */
export interface WebhookRoute {
  /** Name of the route's operation, such as `createEndpoint`. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path of the route with parameters, such as `/endpoints/:id`. */
  readonly path: string;
  /** Summary of the route in one sentence, for API documentation. */
  readonly summary: string;
  /** Schema of the query parameters; null for a route without query parameters. */
  readonly query: z.ZodType | null;
  /** Schema of the request body; null for a route without a request body. */
  readonly body: z.ZodType | null;
  /** HTTP status of a successful response. */
  readonly status: 200 | 201 | 204;
  /** Schema of the response body; null for a route without a response body. */
  readonly response: z.ZodType | null;
  /**
   * Handles a request and resolves to the response body, which is undefined for status 204.
   *
   * @throws ApplicationError with a code of `webhookErrors`
   */
  handle(request: WebhookRequest): Promise<unknown>;
}

/** Dependencies of {@link webhookRoutes}. Reads and writes use separate database access. */
export interface WebhookRoutesOptions {
  readonly webhooks: Webhooks;
  /** Pool or database for requests that only read. */
  readonly database: QueueTx;
  /**
   * Function that runs another function in a transaction that may add outbox rows, such as
   * `(work) => withOutbox(pool, outbox, work)`.
   */
  readonly inTransaction: <T>(work: (tx: TransactionHandle) => Promise<T>) => Promise<T>;
}

const getIdRouteParameter = ({ params }: WebhookRequest): string => params['id'] ?? '';

/**
 * Returns HTTP routes with which administrators manage webhook endpoints and deliveries. The service mounts the routes
 * behind its own authentication, and passes the owner of each request.
 */
export function webhookRoutes(options: WebhookRoutesOptions): readonly WebhookRoute[] {
  return [...createEndpointRoutes(options), ...createDeliveryRoutes(options)];
}

function createEndpointRoutes({ webhooks: { endpoints }, database }: WebhookRoutesOptions): readonly WebhookRoute[] {
  const one = { query: null, body: null, status: 200, response: endpointSchema } as const;
  return [
    {
      ...one,
      name: 'listEndpoints',
      method: 'GET',
      path: '/endpoints',
      summary: 'List webhook endpoints',
      query: listPageQuerySchema,
      response: endpointPageSchema,
      handle: ({ owner, query }) =>
        endpoints.list(database, owner, parseWebhookInput(listPageQuerySchema, query ?? {})),
    },
    {
      ...one,
      name: 'createEndpoint',
      method: 'POST',
      path: '/endpoints',
      summary: 'Create a webhook endpoint. The response contains its secret',
      body: newEndpointSchema,
      status: 201,
      response: endpointWithSecretSchema,
      handle: ({ owner, body }) => endpoints.create(database, owner, parseWebhookInput(newEndpointSchema, body)),
    },
    {
      ...one,
      name: 'getEndpoint',
      method: 'GET',
      path: '/endpoints/:id',
      summary: 'Get a webhook endpoint',
      handle: (request) => endpoints.get(database, request.owner, getIdRouteParameter(request)),
    },
    {
      ...one,
      name: 'updateEndpoint',
      method: 'PATCH',
      path: '/endpoints/:id',
      summary: 'Change a webhook endpoint',
      body: endpointChangeSchema,
      handle: (request) =>
        endpoints.update(
          database,
          request.owner,
          getIdRouteParameter(request),
          parseWebhookInput(endpointChangeSchema, request.body),
        ),
    },
    {
      ...one,
      name: 'deleteEndpoint',
      method: 'DELETE',
      path: '/endpoints/:id',
      summary: 'Delete a webhook endpoint. Its queued deliveries fail',
      status: 204,
      response: null,
      handle: (request) => endpoints.remove(database, request.owner, getIdRouteParameter(request)),
    },
    {
      ...one,
      name: 'rotateSecret',
      method: 'POST',
      path: '/endpoints/:id/rotate-secret',
      summary: 'Replace the secret of a webhook endpoint. The replaced secret also signs until its end',
      body: endpointSecretRotationSchema,
      response: endpointWithSecretSchema,
      handle: (request) =>
        endpoints.rotateSecret(
          database,
          request.owner,
          getIdRouteParameter(request),
          parseWebhookInput(endpointSecretRotationSchema, request.body ?? {}),
        ),
    },
  ];
}

function createDeliveryRoutes({
  webhooks: { deliveries },
  database,
  inTransaction,
}: WebhookRoutesOptions): readonly WebhookRoute[] {
  const one = { query: null, body: null, status: 200 } as const;
  return [
    {
      ...one,
      name: 'listDeliveries',
      method: 'GET',
      path: '/deliveries',
      summary: 'List webhook deliveries, newest first',
      query: deliveryQuerySchema,
      response: deliveryPageSchema,
      handle: ({ owner, query }) =>
        deliveries.list(database, owner, parseWebhookInput(deliveryQuerySchema, query ?? {})),
    },
    {
      ...one,
      name: 'getDelivery',
      method: 'GET',
      path: '/deliveries/:id',
      summary: 'Get a webhook delivery with its body and attempts, newest page first',
      query: deliveryAttemptQuerySchema,
      response: deliveryDetailSchema,
      handle: (request) =>
        deliveries.get(
          database,
          request.owner,
          getIdRouteParameter(request),
          parseWebhookInput(deliveryAttemptQuerySchema, request.query ?? {}),
        ),
    },
    {
      ...one,
      name: 'requeueDelivery',
      method: 'POST',
      path: '/deliveries/:id/requeue',
      summary: 'Send a failed or waiting webhook delivery again',
      status: 204,
      response: null,
      handle: (request) => inTransaction((tx) => deliveries.requeue(tx, request.owner, getIdRouteParameter(request))),
    },
    {
      ...one,
      name: 'requeueDeliveries',
      method: 'POST',
      path: '/deliveries/requeue',
      summary: 'Send failed webhook deliveries again, at most 10,000',
      body: deliveryFilterSchema,
      response: requeueResultSchema,
      handle: async ({ owner, body }) => {
        const filter = parseWebhookInput(deliveryFilterSchema, body ?? {});
        return { requeued: await inTransaction((tx) => deliveries.requeueAll(tx, owner, filter)) };
      },
    },
  ];
}
