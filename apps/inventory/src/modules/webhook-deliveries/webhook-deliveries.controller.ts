import { getRequestActor, type AuthenticatedRequest } from '@switchboard/nest';
import { All, Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { actorWithoutCredentials } from '../../auth/anonymous-actor.js';
import type { InventoryActor } from '../../engine/object-access.js';
import { ModelRegistry } from '../../engine/declaration/model-registry.js';
import { createPathOptionsResponse } from '../../engine/meta/options-response.js';
import { inventoryErrors } from '../../errors.js';
import { getRequestPathAndQuery, getRequestUrlBase } from '../../http/request-urls.js';
import { INVENTORY_CONTEXT, type InventoryContext } from '../../http/inventory-context.js';
import { ModelResourceService } from '../../resources/model-resource-service.js';
import { sendJsonText, sendJsonValue } from '../../http/send-response.js';
import { webhookDeliveryModel } from '../../models/extras/webhook-delivery.js';
import { SavedFilterApplier } from '../saved-filters/apply-saved-filters.js';
import { DeliveryAttemptReader } from './delivery-attempts.js';
import { DeliveryRequeuer } from './delivery-requeue.js';

type WebhookDeliveryHttpRequest = FastifyRequest<{ Params: { id: string } }> & AuthenticatedRequest<InventoryActor>;

/** Endpoints of webhook deliveries that other models do not have, such as the endpoint that requeues deliveries. */
@Controller('api/extras/webhook-deliveries')
export class WebhookDeliveriesController {
  readonly #attempts: DeliveryAttemptReader;
  readonly #requeue: DeliveryRequeuer;
  readonly #savedFilters: SavedFilterApplier;

  constructor(
    @Inject(INVENTORY_CONTEXT) parts: InventoryContext,
    @Inject(ModelRegistry) registry: ModelRegistry,
    @Inject(ModelResourceService) private readonly resources: ModelResourceService,
  ) {
    this.#attempts = new DeliveryAttemptReader(parts);
    this.#requeue = new DeliveryRequeuer(parts, registry);
    this.#savedFilters = new SavedFilterApplier(parts);
  }

  /**
   * Requeues all failed webhook deliveries that match the filters of the query string, and responds with their number.
   */
  @All('requeue')
  async requeueMatchingDeliveries(
    @Req() request: WebhookDeliveryHttpRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (respondToOptions(request, reply, 'Requeue', ['POST'])) return;
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const query = await this.#savedFilters.applySavedFilters(getRequestPathAndQuery(request).query, actor);
    sendJsonValue(request, reply, { requeued: await this.#requeue.requeueMatchingDeliveries(actor, query) });
  }

  /** Requeues one webhook delivery, and responds with the delivery. */
  @All(':id/requeue')
  async requeueDelivery(@Req() request: WebhookDeliveryHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    if (respondToOptions(request, reply, 'Requeue', ['POST'])) return;
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const id = parseDeliveryId(request);
    await this.#requeue.requeueDelivery(actor, id);
    const call = {
      ...getRequestPathAndQuery(request),
      model: webhookDeliveryModel,
      actor,
      method: 'GET',
      requestId: request.id,
      base: getRequestUrlBase(request),
      ifMatch: null,
      strictFilters: false,
      body: () => Promise.resolve(null),
    };
    sendJsonText(request, reply, await this.resources.respondWithObject(call, id));
  }

  /** Responds with the attempts of a webhook delivery, with the request and response of each attempt. */
  @All(':id/attempts')
  async listDeliveryAttempts(@Req() request: WebhookDeliveryHttpRequest, @Res() reply: FastifyReply): Promise<void> {
    if (respondToOptions(request, reply, 'Attempts', ['GET', 'HEAD'])) return;
    const { path, query } = getRequestPathAndQuery(request);
    const actor = getRequestActor(request) ?? actorWithoutCredentials;
    const url = `${getRequestUrlBase(request)}${path}`;
    const body = await this.#attempts.listDeliveryAttempts({ actor, id: parseDeliveryId(request), query, url });
    sendJsonText(request, reply, { status: 200, body, headers: {} });
  }
}

/**
 * Responds to OPTIONS and returns true; returns false for supported methods.
 *
 * @throws ApplicationError METHOD_NOT_ALLOWED for other methods
 */
function respondToOptions(
  request: FastifyRequest,
  reply: FastifyReply,
  name: string,
  methods: readonly string[],
): boolean {
  const { method } = request;
  if (method === 'OPTIONS') sendJsonValue(request, reply, createPathOptionsResponse(name));
  else if (!methods.includes(method)) throw inventoryErrors.create('METHOD_NOT_ALLOWED', { params: { method } });
  return method === 'OPTIONS';
}

/**
 * Returns the id of the webhook delivery in the path.
 *
 * @throws ApplicationError NOT_FOUND unless the id is a number, OBJECT_NOT_FOUND if the number is too large
 */
function parseDeliveryId({ params: { id } }: WebhookDeliveryHttpRequest): string {
  if (!/^\d+$/.test(id)) throw inventoryErrors.create('NOT_FOUND');
  if (BigInt(id) < 2n ** 63n) return id;
  throw inventoryErrors.create('OBJECT_NOT_FOUND', { params: { model: webhookDeliveryModel.objectName } });
}
