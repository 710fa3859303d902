import { createOverloadedError } from '../../../errors.js';
import { RestartSendError, type ChannelSendLock } from './channel-recipients.repository.js';

/**
 * Maximum number of attempts to send a message. An attempt fails if the channel's name is given to another channel
 * during the attempt.
 */
const maxMessageSendAttempts = 5;

/**
 * Runs a function that sends a message in a transaction. Repeats the function in a new transaction after each
 * {@link RestartSendError}.
 *
 * @throws ApplicationError SERVICE_UNAVAILABLE after too many attempts
 */
export async function retryFailedMessageSend<T>(send: (lock: ChannelSendLock) => Promise<T>): Promise<T> {
  let lock: ChannelSendLock = 'shared';
  for (let start = 0; start < maxMessageSendAttempts; start += 1) {
    try {
      return await send(lock);
    } catch (error) {
      if (!(error instanceof RestartSendError)) throw error;
      lock = error.lock;
    }
  }
  throw createOverloadedError();
}
