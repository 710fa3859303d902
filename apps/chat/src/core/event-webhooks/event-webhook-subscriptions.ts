import type { CredentialInvalidations } from '@switchboard/auth';
import type { Clock } from '@switchboard/platform';
import type { QueueTx } from '@switchboard/queue';
import { listSubscriptions } from '@switchboard/webhooks';
import { eventWebhookMetadata } from './event-webhook-metadata.js';

/** A user with the event types of one of the user's webhooks. */
interface EventWebhookSubscriber {
  readonly userId: number;
  readonly eventTypes: ReadonlySet<string>;
}

/** Subscribers of all realms that have an enabled event webhook, by the id of the realm as text. */
export type SubscribersByRealm = ReadonlyMap<string, readonly EventWebhookSubscriber[]>;

/** Time in milliseconds for which the list of subscribers is used after it was read. */
const maxSubscriptionListAgeMs = 10_000;

const subscriptionsInvalidationTag = 'event-webhooks';

/** Dependencies of {@link EventWebhookSubscriptions}. */
export interface EventWebhookSubscriptionsDependencies {
  readonly invalidations: Pick<CredentialInvalidations, 'listen' | 'publish'>;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * List of the event webhooks of all realms in the memory of the process, so that writing an event costs nothing in a
 * realm without webhooks. The list is at most 10 s old, and not used after it was invalidated. An event that is written
 * more than 10 s after a webhook was created is therefore never missed, even if the invalidation is lost.
 */
export class EventWebhookSubscriptions {
  #known: { readonly subscribers: SubscribersByRealm; readonly readAtMs: number } | null = null;
  /** Number of invalidations, by which a list that was read before the last of them is recognized. */
  #generation = 0;

  constructor(private readonly parts: EventWebhookSubscriptionsDependencies) {
    parts.invalidations.listen({
      invalidated: (tag) => {
        if (tag === subscriptionsInvalidationTag) this.#dropList();
      },
      lost: () => {},
    });
  }

  /** Returns the list; null if it must be read again. */
  current(): SubscribersByRealm | null {
    if (this.#known === null) return null;
    const ageMs = this.parts.clock.now() - this.#known.readAtMs;
    return ageMs >= 0 && ageMs < maxSubscriptionListAgeMs ? this.#known.subscribers : null;
  }

  /** Reads the list, by one statement. */
  async read(tx: QueueTx): Promise<SubscribersByRealm> {
    const generation = this.#generation;
    const readAtMs = this.parts.clock.now();
    const subscribers = new Map<string, EventWebhookSubscriber[]>();
    for (const { owner, eventTypes, metadata } of await listSubscriptions(tx)) {
      const parsed = eventWebhookMetadata.safeParse(metadata);
      // A row that another version wrote must not make all writes fail.
      if (!parsed.success) continue;
      const ofRealm = subscribers.get(owner) ?? [];
      ofRealm.push({ userId: parsed.data.userId, eventTypes: new Set(eventTypes) });
      subscribers.set(owner, ofRealm);
    }
    if (generation === this.#generation) this.#known = { subscribers, readAtMs };
    return subscribers;
  }

  /** Invalidates the list in all processes. Call it after the commit of a change of a webhook. Never rejects. */
  async invalidate(): Promise<void> {
    this.#dropList();
    await this.parts.invalidations.publish(subscriptionsInvalidationTag);
  }

  #dropList(): void {
    this.#generation += 1;
    this.#known = null;
  }
}
