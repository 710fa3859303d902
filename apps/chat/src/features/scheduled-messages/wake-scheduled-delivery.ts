import type { Invalidations } from '@switchboard/auth';

/** Tag that is published when a scheduled message or reminder was added, or got another time. */
export const scheduledDeliveryTag = 'scheduled-delivery';

/** Wakes the workers that send scheduled messages, in all processes. */
export class WakeScheduledDelivery {
  constructor(private readonly invalidations: Pick<Invalidations, 'publish'>) {}

  /**
   * Makes the workers read the next due time. Call it after the commit. Does not wait for Redis. If the message is lost,
   * the workers read the time after their usual interval.
   */
  wake(): void {
    void this.invalidations.publish(scheduledDeliveryTag);
  }
}
