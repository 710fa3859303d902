import { describe, expect, it } from 'vitest';
import { RestartSendError, type ChannelSendLock } from './channel-recipients.repository.js';
import { retryFailedMessageSend } from './retry-failed-send.js';

describe('retryFailedMessageSend', () => {
  it('repeats the send with the exclusive lock when the send throws RestartSendError', async () => {
    const locks: ChannelSendLock[] = [];
    const sent = await retryFailedMessageSend(async (lock) => {
      locks.push(lock);
      if (lock === 'shared') throw new RestartSendError('exclusive');
      return 'sent';
    });
    expect([sent, locks]).toEqual(['sent', ['shared', 'exclusive']]);
  });

  it('throws SERVICE_UNAVAILABLE with Retry-After when the send throws RestartSendError in every attempt', async () => {
    const send = (lock: ChannelSendLock) => Promise.reject(new RestartSendError(lock));
    await expect(retryFailedMessageSend(send)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });
});
