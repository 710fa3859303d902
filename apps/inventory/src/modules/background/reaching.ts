import { RedisUnavailableError } from '@switchboard/queue';
import { errors } from '../../errors.js';

/** Runs what asks the queues. @throws AppError QUEUES_UNAVAILABLE while Redis is away */
export async function reaching<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof RedisUnavailableError) throw errors.create('QUEUES_UNAVAILABLE', { cause });
    throw cause;
  }
}
