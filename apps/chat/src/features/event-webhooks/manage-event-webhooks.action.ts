import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import { transactionHandle } from '@switchboard/queue';
import type { WebhookEndpoint, EndpointPage } from '@switchboard/webhooks';
import { loadActorRights, createInsufficientPermissionError, requireAdmin } from '../../core/access/actor-rights.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { requireUnrevokedRequestCredentials } from '../../core/access/require-credentials.js';
import { eventWebhookMetadataSchema, type EventWebhookMetadata } from '../../core/event-webhooks/index.js';
import { lockUserRow } from '../../core/database-locks.js';
import { checkEventQueueNarrow } from '../../core/messages/index.js';
import { createBadRequestError } from '../../errors.js';
import { chatAudit } from '../../infra/audit-trail.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { EventWebhooks } from './open-event-webhooks.js';
import type {
  addWebhookParameters,
  rotateSecretParameters,
  updateWebhookParameters,
} from './event-webhooks.schemas.js';
import { testEventType } from './subscribable-types.js';
import { convertWebhookErrors } from './convert-webhook-errors.js';
import { toWireEventWebhook, type WireEventWebhook } from './wire-event-webhook.js';

/** An event webhook, with the secret that the webhook has just received. */
export interface EventWebhookWithNewSecret {
  readonly event_webhook: WireEventWebhook;
  readonly secret: string;
}

/**
 * Manages the event webhooks of an organization (docs/adr/0048). A webhook receives the events that the administrator
 * who created it may see. Other administrators can only list, disable and delete the webhook, because its URL and log
 * could show them more events.
 */
@Injectable()
export class ManageEventWebhooks {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly hooks: EventWebhooks,
  ) {}

  /**
   * Lists the event webhooks of the organization, ordered by creation time, oldest first.
   *
   * @throws ApplicationError UNAUTHORIZED_PRINCIPAL
   */
  async list(actor: CredentialOwner): Promise<{ event_webhooks: WireEventWebhook[] }> {
    requireAdmin(await loadActorRights(this.database, actor));
    const event_webhooks: WireEventWebhook[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: EndpointPage = await this.#endpoints.list(this.database, actor.realm, {
        after,
        limit: eventWebhooksPerStatement,
      });
      event_webhooks.push(...page.endpoints.map(toWireEventWebhook));
      after = page.next;
    }
    return { event_webhooks };
  }

  /**
   * Creates an event webhook.
   *
   * @throws ApplicationError BAD_REQUEST, EVENT_WEBHOOK_URL_REFUSED, UNAUTHORIZED_PRINCIPAL
   */
  async add(
    actor: CredentialOwner,
    sent: DecodedParametersOfDefinition<typeof addWebhookParameters>,
  ): Promise<EventWebhookWithNewSecret> {
    checkEventQueueNarrow(sent.narrow);
    const metadata = { userId: actor.id, narrow: sent.narrow, applyMarkdown: sent.apply_markdown };
    const { url, description, enabled, event_types: eventTypes } = sent;
    const created = await this.#change(actor, async (tx) => {
      await requireUnrevokedRequestCredentials(tx, actor);
      const endpoint = await this.#endpoints.create(tx, actor.realm, {
        url,
        description,
        enabled,
        eventTypes,
        metadata,
      });
      chatAudit.add(tx, 'event_webhook_created', { id: endpoint.id, host: hostOf(endpoint), eventTypes });
      return endpoint;
    });
    return { event_webhook: toWireEventWebhook(created), secret: created.secret };
  }

  /**
   * Changes an event webhook. Queued deliveries are sent to the webhook's new URL. An administrator who did not create
   * the webhook can only disable it.
   *
   * @throws ApplicationError BAD_REQUEST, EVENT_WEBHOOK_URL_REFUSED, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  async update(
    actor: CredentialOwner,
    id: string,
    sent: DecodedParametersOfDefinition<typeof updateWebhookParameters>,
  ): Promise<{ event_webhook: WireEventWebhook }> {
    if (sent.narrow !== undefined) checkEventQueueNarrow(sent.narrow);
    const { event_types: eventTypes, narrow, apply_markdown: applyMarkdown, ...same } = sent;
    const updated = await this.#change(actor, async (tx) => {
      const metadata = createWebhookMetadata(await this.#endpoints.get(tx, actor.realm, id));
      const isOnlyDisabled = sent.enabled === false && Object.keys(sent).length === 1;
      if (!isOnlyDisabled) requireOwnEventWebhook(actor, metadata);
      const endpoint = await this.#endpoints.update(tx, actor.realm, id, {
        ...same,
        eventTypes,
        metadata: {
          ...metadata,
          ...(narrow !== undefined && { narrow }),
          ...(applyMarkdown !== undefined && { applyMarkdown }),
        },
      });
      chatAudit.add(tx, 'event_webhook_changed', {
        id,
        host: hostOf(endpoint),
        eventTypes: endpoint.eventTypes,
        isEnabled: endpoint.enabled,
        changed: Object.keys(sent),
      });
      return endpoint;
    });
    return { event_webhook: toWireEventWebhook(updated) };
  }

  /**
   * Deletes an event webhook. Deliveries of the webhook can no longer be read, and queued deliveries fail.
   *
   * @throws ApplicationError NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  remove(actor: CredentialOwner, id: string): Promise<void> {
    return this.#change(actor, async (tx) => {
      await this.#endpoints.remove(tx, actor.realm, id);
      chatAudit.add(tx, 'event_webhook_deleted', { id });
    });
  }

  /**
   * Replaces the secret of an event webhook by a new secret.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  async rotateSecret(
    actor: CredentialOwner,
    id: string,
    { overlap_seconds: overlapSeconds }: DecodedParametersOfDefinition<typeof rotateSecretParameters>,
  ): Promise<EventWebhookWithNewSecret> {
    const rotated = await this.#change(actor, async (tx) => {
      await requireUnrevokedRequestCredentials(tx, actor);
      requireOwnEventWebhook(actor, createWebhookMetadata(await this.#endpoints.get(tx, actor.realm, id)));
      const endpoint = await this.#endpoints.rotateSecret(tx, actor.realm, id, { overlapSeconds });
      chatAudit.add(tx, 'event_webhook_secret_rotated', { id });
      return endpoint;
    });
    return { event_webhook: toWireEventWebhook(rotated), secret: rotated.secret };
  }

  /**
   * Sends an event of the type `test` to a webhook, even if the webhook is not subscribed to this type.
   *
   * @throws ApplicationError BAD_REQUEST, NOT_FOUND, UNAUTHORIZED_PRINCIPAL
   */
  async sendTest(actor: CredentialOwner, id: string): Promise<void> {
    await convertWebhookErrors(() =>
      this.database.inTransaction(async (tx) => {
        requireAdmin(await loadActorRights(tx, actor));
        const endpoint = await this.#endpoints.get(tx, actor.realm, id);
        requireOwnEventWebhook(actor, createWebhookMetadata(endpoint));
        if (!endpoint.enabled) throw createBadRequestError('The event webhook is disabled.');
        this.hooks.webhooksWithDeliveries.emit(transactionHandle(tx), {
          owner: actor.realm,
          type: testEventType,
          endpointId: endpoint.id,
          payload: { webhook_id: endpoint.id },
        });
      }),
    );
  }

  get #endpoints() {
    return this.hooks.webhooksWithDeliveries.endpoints;
  }

  /**
   * Changes webhooks in a transaction, and invalidates the lists of webhooks in memory after the commit. Locks the
   * actor's user row, so that the actor remains an administrator during the transaction.
   */
  async #change<T>(actor: CredentialOwner, work: (tx: Tx) => Promise<T>): Promise<T> {
    const result = await convertWebhookErrors(() =>
      this.database.inTransaction(async (tx) => {
        await lockUserRow(tx, actor.id);
        requireAdmin(await loadActorRights(tx, actor));
        return work(tx);
      }),
    );
    await this.hooks.subscriptions.invalidate();
    return result;
  }
}

/** Returns the host of a webhook's URL. The whole URL is not logged, because it may contain credentials. */
function hostOf({ url }: WebhookEndpoint): string {
  return new URL(url).host;
}

/** Maximum number of webhooks that one SQL statement reads. Equals the maximum in the webhook package. */
const eventWebhooksPerStatement = 250;

function createWebhookMetadata({ metadata }: WebhookEndpoint): EventWebhookMetadata {
  return eventWebhookMetadataSchema.parse(metadata);
}

/**
 * Throws if the actor is not the administrator who created the webhook.
 *
 * @throws ApplicationError BAD_REQUEST `Insufficient permission`
 */
function requireOwnEventWebhook(actor: CredentialOwner, { userId }: EventWebhookMetadata): void {
  if (userId !== actor.id) throw createInsufficientPermissionError();
}
