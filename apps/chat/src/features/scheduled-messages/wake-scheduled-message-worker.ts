import type { CredentialInvalidations } from '@switchboard/auth';

/**
 * Name of the Redis notification that is published when a scheduled message or reminder was added or its due time
 * changed.
 */
export const scheduledDeliveryTag = 'scheduled-delivery';

/** Wakes the workers that send scheduled messages in all server processes. */
export class WakeScheduledDelivery {
  constructor(private readonly invalidations: Pick<CredentialInvalidations, 'publish'>) {}

  /**
   * Makes the workers for scheduled messages read the time of the next due message. Must be called after the
   * transaction commits. Does not wait for Redis. If the notification is lost, the workers read the time after the
   * regular polling interval.
   */
  wake(): void {
    void this.invalidations.publish(scheduledDeliveryTag);
  }
}
