import { RedisUnavailableError } from '@switchboard/queue';
import { errors } from '../../errors.js';

/**
 * Runs an operation on the background queues.
 *
 * @throws AppError QUEUES_UNAVAILABLE if Redis cannot be reached
 */
export async function withRedisErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RedisUnavailableError) throw errors.create('QUEUES_UNAVAILABLE', { cause });
    throw cause;
  }
}
