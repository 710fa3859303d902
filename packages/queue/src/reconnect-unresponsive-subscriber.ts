import type { Redis } from 'ioredis';

/** Interval between two checks of a subscribing Redis connection, in milliseconds. */
const SUBSCRIBER_CHECK_INTERVAL_MS = 2_000;

/** Number of successive checks without a response after which the connection is replaced. */
const MISSED_CHECKS_OF_LOST_SERVER = 2;

/**
 * Sends a PING over a subscribing connection at intervals, and replaces the connection when the server no longer
 * responds. A subscriber sends no other commands. Without the check it would miss all messages of the other servers
 * until the lost server closes the connection.
 */
export function reconnectUnresponsiveSubscriber(subscriber: Redis): void {
  let missed = 0;
  const timer = setInterval(() => {
    if (subscriber.status !== 'ready') {
      missed = 0;
      return;
    }
    if (missed >= MISSED_CHECKS_OF_LOST_SERVER) {
      missed = 0;
      subscriber.disconnect(true);
      return;
    }
    missed += 1;
    subscriber.ping().then(
      () => (missed = 0),
      // The connection was closed and is replaced.
      () => undefined,
    );
  }, SUBSCRIBER_CHECK_INTERVAL_MS).unref();
  subscriber.once('end', () => clearInterval(timer));
}
