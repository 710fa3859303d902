import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { type QueueTx, transactionHandle } from '@switchboard/queue';
import type { WebhookEndpoint } from '@switchboard/webhooks';
import { loadActorRights, createInsufficientPermissionError, requireAdmin } from '../../core/access/actor-rights.js';
import { eventWebhookMetadataSchema } from '../../core/event-webhooks/index.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { EventWebhooks } from './open-event-webhooks.js';
import type { listDeliveriesParameters, webhookDeliveryRequeueParameters } from './event-webhooks.schemas.js';
import { createUnknownWebhookDeliveryError, convertWebhookErrors } from './convert-webhook-errors.js';
import { createDeliveryCheck } from './check-webhook-visibility.js';
import {
  toWireWebhookDelivery,
  toWireWebhookDeliveryDetail,
  type WireWebhookDelivery,
  type WireWebhookDeliveryDetail,
} from './wire-event-webhook.js';

/** Lists and requeues the deliveries of an event webhook, for the administrator who created the webhook. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly hooks: EventWebhooks,
  ) {}

  /**
   * Lists the deliveries of an event webhook, ordered by time, newest first.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  list(
    actor: ChatActor,
    webhookId: string,
    { status, event_type: type, before, limit }: DecodedParametersOfDefinition<typeof listDeliveriesParameters>,
  ): Promise<{ deliveries: WireWebhookDelivery[]; next_before: number | null }> {
    return convertWebhookErrors(async () => {
      const { id: endpointId } = await this.#getOwn(this.database, actor, webhookId);
      const query = { endpointId, status, type, before, limit };
      const page = await this.#deliveries.list(this.database, actor.realm, query);
      return { deliveries: page.deliveries.map(toWireWebhookDelivery), next_before: page.next };
    });
  }

  /**
   * Returns a delivery with its body and newest 100 attempts. A delivery about a channel that the administrator can no
   * longer read is treated as nonexistent.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  get(actor: ChatActor, webhookId: string, deliveryId: string): Promise<{ delivery: WireWebhookDeliveryDetail }> {
    return convertWebhookErrors(async () => {
      const endpoint = await this.#getOwn(this.database, actor, webhookId);
      const delivery = await this.#deliveries.get(this.database, actor.realm, deliveryId, { attemptsLimit: 100 });
      if (delivery.endpointId !== endpoint.id) throw createUnknownWebhookDeliveryError();
      const { id, type, key, body } = delivery;
      const checked = { id, type, key, body, endpointId: endpoint.id, owner: actor.realm, metadata: endpoint.metadata };
      if ((await createDeliveryCheck(this.database)(checked)) !== null) throw createUnknownWebhookDeliveryError();
      return { delivery: toWireWebhookDeliveryDetail(delivery) };
    });
  }

  /**
   * Queues one delivery of a webhook again, or all failed deliveries that match a filter.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  requeue(
    actor: ChatActor,
    webhookId: string,
    sent: DecodedParametersOfDefinition<typeof webhookDeliveryRequeueParameters>,
  ): Promise<{ requeued: number }> {
    const { delivery_id: deliveryId, event_type: type } = sent;
    return convertWebhookErrors(() =>
      this.database.inTransaction(async (tx) => {
        const { id: endpointId } = await this.#getOwn(tx, actor, webhookId);
        const handle = transactionHandle(tx);
        if (deliveryId !== undefined) {
          const delivery = await this.#deliveries.get(tx, actor.realm, deliveryId);
          if (delivery.endpointId !== endpointId) throw createUnknownWebhookDeliveryError();
          await this.#deliveries.requeue(handle, actor.realm, deliveryId);
          return { requeued: 1 };
        }
        const filter = {
          endpointId,
          type,
          createdFrom: unixSecondsToIsoTime(sent.created_from),
          createdBefore: unixSecondsToIsoTime(sent.created_before),
        };
        return { requeued: await this.#deliveries.requeueAll(handle, actor.realm, filter) };
      }),
    );
  }

  get #deliveries() {
    return this.hooks.webhooksWithDeliveries.deliveries;
  }

  async #getOwn(tx: SqlQueryRunner & QueueTx, actor: ChatActor, webhookId: string): Promise<WebhookEndpoint> {
    requireAdmin(await loadActorRights(tx, actor));
    const endpoint = await this.hooks.webhooksWithDeliveries.endpoints.get(tx, actor.realm, webhookId);
    if (eventWebhookMetadataSchema.parse(endpoint.metadata).userId !== actor.id)
      throw createInsufficientPermissionError();
    return endpoint;
  }
}

function unixSecondsToIsoTime(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}
