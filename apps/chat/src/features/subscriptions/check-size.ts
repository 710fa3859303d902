import { badRequest } from '../../errors.js';

/** Maximum number of subscriptions, each of one user to one channel, that one request may create or end. */
const maxSubscriptions = 100_000;

/** @throws AppError BAD_REQUEST when these users and channels make too many subscriptions for one request */
export function checkSize(channels: number, users: number): void {
  if (channels * users <= maxSubscriptions) return;
  throw badRequest(`Too many subscriptions in one request (limit: ${maxSubscriptions})`);
}
