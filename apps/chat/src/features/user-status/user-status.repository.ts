import type { ChatTransaction, PrismaReader } from '../../infra/open-prisma.js';
import type { UserStatusChange } from './parse-status-change.js';
import { userStatusColumnNames, convertToUserStatusResponse, type UserStatusInResponse } from './wire-user-status.js';

/** Reads the status of a user. The result is an empty object for a user without a status. */
export async function readUserStatus({ prisma }: PrismaReader, userId: number): Promise<UserStatusInResponse> {
  const user = await prisma.user.findFirst({
    where: { id: userId },
    select: { settings: true, userStatusesByUser: { select: userStatusColumnNames } },
  });
  return user === null ? {} : convertToUserStatusResponse(user.userStatusesByUser, user.settings);
}

/** Sets fields of a user's status. Absent fields remain unchanged. */
export async function writeUserStatus(
  { prisma }: ChatTransaction,
  userId: number,
  change: UserStatusChange,
): Promise<void> {
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
