import { describe, expect, it } from 'vitest';
import { SendAgain, type SendLock } from './channel-recipients.repository.js';
import { startingOver } from './starting-over.js';

describe('startingOver', () => {
  it('runs the send again with the lock that it asks for', async () => {
    const locks: SendLock[] = [];
    const sent = await startingOver(async (lock) => {
      locks.push(lock);
      if (lock === 'shared') throw new SendAgain('exclusive');
      return 'sent';
    });
    expect([sent, locks]).toEqual(['sent', ['shared', 'exclusive']]);
  });

  it('rejects with SERVICE_UNAVAILABLE and Retry-After when the send never ends', async () => {
    const send = (lock: SendLock) => Promise.reject(new SendAgain(lock));
    await expect(startingOver(send)).rejects.toMatchObject({ status: 503, headers: { 'retry-after': '5' } });
  });
});
