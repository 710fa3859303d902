import type { ChatTransaction } from '../../infra/open-prisma.js';

/**
 * Deletes the stored OAuth tokens for video-call providers of accounts that are being deactivated. Emits no event,
 * because the event queues of the accounts end.
 */
export async function deleteVideoCallTokens({ prisma }: ChatTransaction, userIds: readonly number[]): Promise<void> {
  await prisma.videoCallToken.deleteMany({ where: { userId: { in: [...userIds] } } });
}
