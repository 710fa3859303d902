import type { CredentialInvalidations } from '@switchboard/auth';

/** Name of the Redis notification after a scheduled message or reminder was added, or got another time. */
export const scheduledDeliveryTag = 'scheduled-delivery';

/** Wakes the workers that send scheduled messages, in all processes. */
export class WakeScheduledDelivery {
  constructor(private readonly invalidations: Pick<CredentialInvalidations, 'publish'>) {}

  /**
   * Makes the workers read the time of the next due message. Must be called after the commit. Does not wait for Redis.
   * If the notification is lost, the workers read the time after their usual interval.
   */
  wake(): void {
    void this.invalidations.publish(scheduledDeliveryTag);
  }
}
