import { createOverloadedError } from '../../../errors.js';
import { RestartSendError, type SendLock } from './channel-recipients.repository.js';

/**
 * Maximum number of attempts to send a message. An attempt fails if the channel's name is given to another channel
 * meanwhile.
 */
const maxSendAttempts = 5;

/**
 * Runs a send in a transaction, and repeats it in a new transaction after each {@link RestartSendError}.
 *
 * @throws AppError SERVICE_UNAVAILABLE after too many attempts
 */
export async function retrySend<T>(send: (lock: SendLock) => Promise<T>): Promise<T> {
  let lock: SendLock = 'shared';
  for (let start = 0; start < maxSendAttempts; start += 1) {
    try {
      return await send(lock);
    } catch (error) {
      if (!(error instanceof RestartSendError)) throw error;
      lock = error.lock;
    }
  }
  throw createOverloadedError();
}
