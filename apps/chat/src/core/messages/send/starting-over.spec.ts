import { describe, expect, it } from 'vitest';
import { SendAgain, type SendLock } from './channel-recipients.repository.js';
import { startingOver } from './starting-over.js';

describe('startingOver', () => {
  it('repeats the send with the exclusive lock when the send throws SendAgain', async () => {
    const locks: SendLock[] = [];
    const sent = await startingOver(async (lock) => {
      locks.push(lock);
      if (lock === 'shared') throw new SendAgain('exclusive');
      return 'sent';
    });
    expect([sent, locks]).toEqual(['sent', ['shared', 'exclusive']]);
  });

  it('throws SERVICE_UNAVAILABLE with Retry-After when the send throws SendAgain in every attempt', async () => {
    const send = (lock: SendLock) => Promise.reject(new SendAgain(lock));
    await expect(startingOver(send)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });
});
