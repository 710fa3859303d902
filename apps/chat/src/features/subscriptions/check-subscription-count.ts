import { createBadRequestError } from '../../errors.js';

/**
 * Maximum number of subscriptions that one request may create or end. Each pair of user and channel counts as one
 * subscription.
 */
const maxSubscriptionsPerRequest = 100_000;

/**
 * Rejects a request that creates or ends too many subscriptions.
 *
 * @throws ApplicationError BAD_REQUEST if the request exceeds the maximum
 */
export function checkSubscriptionCount(channels: number, users: number): void {
  if (channels * users <= maxSubscriptionsPerRequest) return;
  throw createBadRequestError(`Too many subscriptions in one request (limit: ${maxSubscriptionsPerRequest})`);
}
