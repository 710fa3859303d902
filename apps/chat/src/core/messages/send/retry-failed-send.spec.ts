import { describe, expect, it } from 'vitest';
import { RestartSendError, type SendLock } from './channel-recipients.repository.js';
import { retrySend } from './retry-failed-send.js';

describe('retrySend', () => {
  it('repeats the send with the exclusive lock when the send throws SendAgain', async () => {
    const locks: SendLock[] = [];
    const sent = await retrySend(async (lock) => {
      locks.push(lock);
      if (lock === 'shared') throw new RestartSendError('exclusive');
      return 'sent';
    });
    expect([sent, locks]).toEqual(['sent', ['shared', 'exclusive']]);
  });

  it('throws SERVICE_UNAVAILABLE with Retry-After when the send throws SendAgain in every attempt', async () => {
    const send = (lock: SendLock) => Promise.reject(new RestartSendError(lock));
    await expect(retrySend(send)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });
});
