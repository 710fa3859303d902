import type { ChatTx } from '../../infra/open-prisma.js';

/**
 * Deletes the tokens of accounts that are being deactivated at video-call providers. Emits no event, because the event
 * queues of the accounts end.
 */
export async function deleteCallTokens({ prisma }: ChatTx, userIds: readonly number[]): Promise<void> {
  await prisma.videoCallToken.deleteMany({ where: { userId: { in: [...userIds] } } });
}
