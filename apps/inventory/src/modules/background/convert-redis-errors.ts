import { RedisUnavailableError } from '@switchboard/queue';
import { inventoryErrors } from '../../errors.js';

/**
 * Runs an operation on the background queues.
 *
 * @throws ApplicationError QUEUES_UNAVAILABLE if Redis cannot be reached
 */
export async function callWithRedisErrorConversion<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RedisUnavailableError) throw inventoryErrors.create('QUEUES_UNAVAILABLE', { cause });
    throw cause;
  }
}
