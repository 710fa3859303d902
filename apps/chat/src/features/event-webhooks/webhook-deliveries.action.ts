import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { type QueueTx, transactionHandle } from '@switchboard/queue';
import type { Endpoint } from '@switchboard/webhooks';
import { toActorRights, createInsufficientPermissionError, requireAdmin } from '../../core/access/actor-rights.js';
import { eventWebhookMetadata } from '../../core/event-webhooks/index.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ParametersOf } from '../../infra/http/parameter-decorators.js';
import type { SqlReader } from '../../infra/sql-reader.js';
import { DATABASE } from '../../tokens.js';
import { EventWebhooks } from './open-event-webhooks.js';
import type { listDeliveriesParameters, requeueParameters } from './event-webhooks.schemas.js';
import { createNoSuchDeliveryError, convertWebhookErrors } from './convert-webhook-errors.js';
import { createDeliveryCheck } from './check-webhook-visibility.js';
import {
  toWireDelivery,
  toWireDeliveryDetail,
  type WireDelivery,
  type WireDeliveryDetail,
} from './wire-event-webhook.js';

/** Lists and requeues the deliveries of an event webhook, for the administrator who created the webhook. */
@Injectable()
export class WebhookDeliveries {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly hooks: EventWebhooks,
  ) {}

  /**
   * Lists the deliveries of an event webhook, ordered by time, newest first.
   *
   * @throws AppError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  list(
    actor: ChatActor,
    webhookId: string,
    { status, event_type: type, before, limit }: ParametersOf<typeof listDeliveriesParameters>,
  ): Promise<{ deliveries: WireDelivery[]; next_before: number | null }> {
    return convertWebhookErrors(async () => {
      const { id: endpointId } = await this.#getOwn(this.database, actor, webhookId);
      const query = { endpointId, status, type, before, limit };
      const page = await this.#deliveries.list(this.database, actor.realm, query);
      return { deliveries: page.deliveries.map(toWireDelivery), next_before: page.next };
    });
  }

  /**
   * Returns a delivery with its body and its newest 100 attempts. A delivery about a channel that the administrator can
   * no longer read is treated as nonexistent.
   *
   * @throws AppError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  get(actor: ChatActor, webhookId: string, deliveryId: string): Promise<{ delivery: WireDeliveryDetail }> {
    return convertWebhookErrors(async () => {
      const endpoint = await this.#getOwn(this.database, actor, webhookId);
      const delivery = await this.#deliveries.get(this.database, actor.realm, deliveryId, { attemptsLimit: 100 });
      if (delivery.endpointId !== endpoint.id) throw createNoSuchDeliveryError();
      const { id, type, key, body } = delivery;
      const checked = { id, type, key, body, endpointId: endpoint.id, owner: actor.realm, metadata: endpoint.metadata };
      if ((await createDeliveryCheck(this.database)(checked)) !== null) throw createNoSuchDeliveryError();
      return { delivery: toWireDeliveryDetail(delivery) };
    });
  }

  /**
   * Queues one delivery of a webhook again, or all failed deliveries that match a filter.
   *
   * @throws AppError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  requeue(
    actor: ChatActor,
    webhookId: string,
    sent: ParametersOf<typeof requeueParameters>,
  ): Promise<{ requeued: number }> {
    const { delivery_id: deliveryId, event_type: type } = sent;
    return convertWebhookErrors(() =>
      this.database.inTransaction(async (tx) => {
        const { id: endpointId } = await this.#getOwn(tx, actor, webhookId);
        const handle = transactionHandle(tx);
        if (deliveryId !== undefined) {
          const delivery = await this.#deliveries.get(tx, actor.realm, deliveryId);
          if (delivery.endpointId !== endpointId) throw createNoSuchDeliveryError();
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
    return this.hooks.webhooks.deliveries;
  }

  async #getOwn(tx: SqlReader & QueueTx, actor: ChatActor, webhookId: string): Promise<Endpoint> {
    requireAdmin(await toActorRights(tx, actor));
    const endpoint = await this.hooks.webhooks.endpoints.get(tx, actor.realm, webhookId);
    if (eventWebhookMetadata.parse(endpoint.metadata).userId !== actor.id) throw createInsufficientPermissionError();
    return endpoint;
  }
}

function unixSecondsToIsoTime(seconds: number | undefined): string | undefined {
  return seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
}
