import { RedisUnavailableError } from '@switchboard/queue';
import { errors } from '../../errors.js';

/**
 * Runs queue queries.
 * @throws AppError QUEUES_UNAVAILABLE while Redis is unavailable
 */
export async function withRedisErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RedisUnavailableError) throw errors.create('QUEUES_UNAVAILABLE', { cause });
    throw cause;
  }
}
