import { z } from 'zod';
import type { UserStatusModel } from '../../generated/prisma/models.js';

/**
 * Schema of a user status in the API (docs/contract/chat.md 2.A). The status contains only fields that the user has
 * set.
 */
export const userStatusResponseSchema = z
  .strictObject({
    status_text: z.string().optional(),
    emoji_name: z.string().optional(),
    emoji_code: z.string().optional(),
    reaction_type: z.string().optional(),
    away: z.literal(true).optional().meta({ description: 'Older name: true if the setting presence_enabled is off' }),
  })
  .meta({ id: 'UserStatus' });

export type UserStatusInResponse = z.infer<typeof userStatusResponseSchema>;

/** Columns of a user status that {@link convertToUserStatusResponse} reads. */
export const userStatusColumnNames = {
  statusText: true,
  emojiName: true,
  emojiCode: true,
  reactionType: true,
} as const;

/**
 * Returns a user status in the format of the API.
 *
 * @param row Null for a user who has set no status.
 * @param settings Settings of the user.
 */
export function convertToUserStatusResponse(
  row: Pick<UserStatusModel, keyof typeof userStatusColumnNames> | null,
  settings: unknown,
): UserStatusInResponse {
  const isAway = z.object({ presence_enabled: z.literal(false) }).safeParse(settings).success;
  return {
    ...(row?.statusText && { status_text: row.statusText }),
    ...(row?.emojiName && { emoji_name: row.emojiName }),
    ...(row?.emojiCode && { emoji_code: row.emojiCode }),
    ...(row?.reactionType && { reaction_type: row.reactionType }),
    ...(isAway && { away: true }),
  };
}
