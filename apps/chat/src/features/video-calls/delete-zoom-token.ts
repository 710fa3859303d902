import type { ChatTx } from '../../infra/prisma.js';

/** Deletes the Zoom tokens of accounts that are being deactivated. Emits no event: their event queues end. */
export async function deleteZoomToken({ prisma }: ChatTx, userIds: readonly number[]): Promise<void> {
  await prisma.zoomToken.deleteMany({ where: { userId: { in: [...userIds] } } });
}
