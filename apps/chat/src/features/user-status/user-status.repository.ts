import type { ChatTx, PrismaReader } from '../../infra/open-prisma.js';
import type { StatusChange } from './parse-status-change.js';
import { statusColumns, toWireStatus, type WireUserStatus } from './wire-user-status.js';

/** Reads the status of a user. The result is an empty object for a user without a status. */
export async function readUserStatus({ prisma }: PrismaReader, userId: number): Promise<WireUserStatus> {
  const user = await prisma.user.findFirst({
    where: { id: userId },
    select: { settings: true, userStatusesByUser: { select: statusColumns } },
  });
  return user === null ? {} : toWireStatus(user.userStatusesByUser, user.settings);
}

/** Sets fields of a user's status. Absent fields remain unchanged. */
export async function writeUserStatus({ prisma }: ChatTx, userId: number, change: StatusChange): Promise<void> {
  const { status_text: statusText, emoji_name: emojiName, emoji_code: emojiCode, reaction_type: reactionType } = change;
  const update = {
    ...(statusText !== undefined && { statusText }),
    ...(emojiName !== undefined && { emojiName }),
    ...(emojiCode !== undefined && { emojiCode }),
    ...(reactionType !== undefined && { reactionType }),
  };
  await prisma.userStatus.upsert({
    where: { userId },
    create: { userId, ...update },
    update,
    select: { userId: true },
  });
}
