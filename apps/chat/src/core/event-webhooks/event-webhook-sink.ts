import { type Audience, transactionHandle, AudienceUserIds } from '@switchboard/queue';
import type { Tx } from '@switchboard/database';
import type { WebhookEmitter } from '@switchboard/webhooks';
import { z } from 'zod';
import type {
  ConversationOfEvent,
  AdditionalEventReceiver,
  EventWrittenToLog,
} from '../../events/event-sink-interface.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { EventWebhookSubscriberCache, EventWebhookSubscribersByRealm } from './event-webhook-subscriptions.js';

/**
 * Schema of an emitted event that is to be sent to webhooks. Contains the event log entry, and the ids of the users
 * whose webhooks receive the event.
 */
export const eventStoredForWebhooksSchema = z.object({
  /** Name of the event type in the event log. */
  name: z.string(),
  payload: z.record(z.string(), z.unknown()),
  /** Ids of the recipients of the event who have webhooks. */
  addressees: z.array(z.int()),
  /**
   * Set if an event reports that users lost access to messages: ids of the users with webhooks who can still read these
   * messages.
   */
  remainingReaders: z.array(z.int()).default([]),
  /** Conversation of the messages that the event is about; absent for an event that is not about messages. */
  conversation: z
    .union([
      z.object({ channelId: z.int(), topic: z.string(), newChannelId: z.int().optional() }),
      z.object({ recipientId: z.int() }),
    ])
    .optional(),
});

/** Parsed values of {@link eventStoredForWebhooksSchema}. */
export type EventStoredForWebhooks = z.infer<typeof eventStoredForWebhooksSchema>;

/**
 * Maximum number of characters of a topic in an order key, which determines the order of webhook deliveries. Longer
 * topics with equal beginnings share an order key.
 */
const maxOrderKeyTopicLength = 200;

/**
 * Emits events to the webhooks of a realm, in the same transaction that writes the events to the event log. If the list
 * of webhooks in memory is outdated, {@link emitDeferredEvents} reads the list again in that transaction before the
 * commit.
 */
export class EventWebhookEmitter implements AdditionalEventReceiver {
  readonly #deferred = new WeakMap<object, EventWrittenToLog[]>();

  constructor(
    private readonly subscriptions: EventWebhookSubscriberCache,
    private readonly emitter: WebhookEmitter,
  ) {}

  add(tx: Tx, event: EventWrittenToLog): void {
    const { webhookOrder, name } = event.type;
    if (webhookOrder === undefined) return;
    if (webhookOrder === 'conversation' && event.conversation === undefined) {
      throw new Error(`Event ${name} was written without its conversation`);
    }
    const deferred = this.#deferred.get(tx);
    // An event must not precede a deferred one of the same transaction.
    if (deferred !== undefined) return void deferred.push(event);
    const known = this.subscriptions.getCurrentSubscribers();
    if (known === null) this.#deferred.set(tx, [event]);
    else this.#emit(tx, known, event);
  }

  /**
   * Emits the events of a transaction to webhooks if the list of webhooks was outdated when the events were written.
   * Must be called before the commit. Returns null if the transaction has no deferred events.
   */
  emitDeferredEvents(tx: Tx): Promise<void> | null {
    const deferred = this.#deferred.get(tx);
    if (deferred === undefined) return null;
    this.#deferred.delete(tx);
    return this.#readAndEmit(tx, deferred);
  }

  async #readAndEmit(tx: Tx, events: readonly EventWrittenToLog[]): Promise<void> {
    // The wait prevents COMMIT from being sent in the same batch as the statement below.
    await Promise.resolve();
    const subscribers = this.subscriptions.getCurrentSubscribers() ?? (await this.subscriptions.read(tx));
    for (const event of events) this.#emit(tx, subscribers, event);
  }

  #emit(tx: Tx, subscribers: EventWebhookSubscribersByRealm, event: EventWrittenToLog): void {
    const { realmId, payload, audience, conversation, remainingReaders } = event;
    const owner = String(realmId);
    const type = event.type.variants[0]?.type ?? event.type.name;
    const ofType = (subscribers.get(owner) ?? []).filter(({ eventTypes }) => eventTypes.has(type));
    if (ofType.length === 0) return;
    const userIds = [...new Set(ofType.map(({ userId }) => userId))];
    const addressees = userIds.filter((userId) => isUserInAudience(audience, userId));
    // Administrators may read a channel whose messages they do not receive.
    const isOfChannel = conversation !== undefined && 'channelId' in conversation;
    if (addressees.length === 0 && !isOfChannel) return;
    const stored: EventStoredForWebhooks = {
      name: event.type.name,
      payload: { ...payload },
      addressees,
      remainingReaders: userIds.filter((userId) => remainingReaders?.has(userId) === true),
      conversation,
    };
    this.emitter.emit(transactionHandle(tx), {
      owner,
      type,
      key: getWebhookDeliveryOrderKey(type, conversation),
      payload: stored,
    });
  }
}

function isUserInAudience(audience: Audience, userId: number): boolean {
  if ('all' in audience) return true;
  const { users = [] } = audience;
  return users instanceof AudienceUserIds ? users.ids.includes(userId) : users.includes(userId);
}

/**
 * Returns the order key of an event for webhook deliveries: a text for the event's conversation, or the event type.
 * Deliveries with equal keys are sent in order.
 */
function getWebhookDeliveryOrderKey(type: string, conversation: ConversationOfEvent | undefined): string {
  if (conversation === undefined) return type;
  if ('recipientId' in conversation) return `direct:${conversation.recipientId}`;
  return `stream:${conversation.channelId}:${normalizeTextForComparison(conversation.topic).slice(0, maxOrderKeyTopicLength)}`;
}
