import type { CredentialInvalidationNotifier } from '@switchboard/auth';

/**
 * Name of the Redis notification that is published when a scheduled message or reminder was added or its due time
 * changed.
 */
export const scheduledDeliveryNotificationName = 'scheduled-delivery';

/** Wakes the workers that send scheduled messages in all server processes. */
export class WakeScheduledMessageWorkers {
  constructor(private readonly invalidations: Pick<CredentialInvalidationNotifier, 'publish'>) {}

  /**
   * Makes the workers for scheduled messages read the time of the next due message. Must be called after the
   * transaction commits. Does not wait for Redis. If the notification is lost, the workers read the time after the
   * regular polling interval.
   */
  wakeAllWorkers(): void {
    void this.invalidations.publish(scheduledDeliveryNotificationName);
  }
}
