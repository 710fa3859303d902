import type { CredentialInvalidationNotifier } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import type { QueueTx } from '@switchboard/queue';
import { listSubscriptions } from '@switchboard/webhooks';
import { eventWebhookMetadataSchema } from './event-webhook-metadata.js';

/** A user who created an event webhook, with the event types that this webhook receives. */
interface EventWebhookSubscriber {
  readonly userId: number;
  readonly eventTypes: ReadonlySet<string>;
}

/** Users with event webhooks of all realms that have an enabled event webhook, by the realm's id as text. */
export type EventWebhookSubscribersByRealm = ReadonlyMap<string, readonly EventWebhookSubscriber[]>;

/** Time in milliseconds for which the list of webhook subscribers in memory is used after it was read. */
const maxWebhookSubscribersAgeMs = 10_000;

const webhookSubscribersCacheTag = 'event-webhooks';

/** Objects and values that {@link EventWebhookSubscriberCache} receives from its caller. */
export interface EventWebhookSubscriberCacheDependencies {
  readonly invalidations: Pick<CredentialInvalidationNotifier, 'listen' | 'publish'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * List of the event webhooks of all realms in the memory of the process, which avoids queries when a realm without
 * webhooks writes an event. The list is at most 10 s old, and not used after an invalidation. A webhook therefore
 * receives all events that are written more than 10 s after its creation, even if the invalidation is lost.
 */
export class EventWebhookSubscriberCache {
  #known: { readonly subscribers: EventWebhookSubscribersByRealm; readonly readAtMs: number } | null = null;
  /**
   * Number of invalidations of the list of webhook subscribers. A changed number shows that the list was read before
   * the last invalidation.
   */
  #generation = 0;

  constructor(private readonly parts: EventWebhookSubscriberCacheDependencies) {
    parts.invalidations.listen({
      invalidated: (tag) => {
        if (tag === webhookSubscribersCacheTag) this.#dropList();
      },
      lost: () => {},
    });
  }

  /** Returns the list of webhook subscribers in memory; null if the list must be read again. */
  getCurrentSubscribers(): EventWebhookSubscribersByRealm | null {
    if (this.#known === null) return null;
    const ageMs = this.parts.clock.now() - this.#known.readAtMs;
    return ageMs >= 0 && ageMs < maxWebhookSubscribersAgeMs ? this.#known.subscribers : null;
  }

  /** Reads the list of webhook subscribers of all realms in one SQL statement. */
  async read(tx: QueueTx): Promise<EventWebhookSubscribersByRealm> {
    const generation = this.#generation;
    const readAtMs = this.parts.clock.now();
    const subscribers = new Map<string, EventWebhookSubscriber[]>();
    for (const { owner, eventTypes, metadata } of await listSubscriptions(tx)) {
      const parsed = eventWebhookMetadataSchema.safeParse(metadata);
      // A row that another version wrote must not make all writes fail.
      if (!parsed.success) continue;
      const ofRealm = subscribers.get(owner) ?? [];
      ofRealm.push({ userId: parsed.data.userId, eventTypes: new Set(eventTypes) });
      subscribers.set(owner, ofRealm);
    }
    if (generation === this.#generation) this.#known = { subscribers, readAtMs };
    return subscribers;
  }

  /**
   * Invalidates the list of webhook subscribers in all processes. Must be called after the commit of a change of a
   * webhook. The returned promise never rejects.
   */
  async invalidate(): Promise<void> {
    this.#dropList();
    await this.parts.invalidations.publish(webhookSubscribersCacheTag);
  }

  #dropList(): void {
    this.#generation += 1;
    this.#known = null;
  }
}
