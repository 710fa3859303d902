import { overloaded } from '../../../errors.js';
import { SendAgain, type SendLock } from './channel-recipients.repository.js';

/** Limit for channels whose names move between channels faster than messages are sent to them. */
const mostStarts = 5;

/**
 * Runs a send, again in a new transaction for each {@link SendAgain}.
 *
 * @throws AppError SERVICE_UNAVAILABLE when the send starts over too often
 */
export async function startingOver<T>(send: (lock: SendLock) => Promise<T>): Promise<T> {
  let lock: SendLock = 'shared';
  for (let start = 0; start < mostStarts; start += 1) {
    try {
      return await send(lock);
    } catch (error) {
      if (!(error instanceof SendAgain)) throw error;
      lock = error.lock;
    }
  }
  throw overloaded();
}
