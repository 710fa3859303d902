import type { Tx } from '@switchboard/database';
import type { EmojiReference, EmojiTypeName } from '../../infra/emoji/emoji-reference.js';

interface ReactionRow {
  emoji_name: string;
  emoji_code: string;
  reaction_type: EmojiTypeName;
}

/**
 * Returns the name under which an emoji was first added as a reaction to a message; null if there is no reaction with
 * this emoji.
 */
export async function findEmojiNameOfReaction(
  tx: Tx,
  messageId: number,
  emoji: EmojiReference,
): Promise<string | null> {
  const { rows } = await tx.query<{ emoji_name: string }>(
    `SELECT emoji_name FROM reactions WHERE message_id = $1 AND reaction_type = $2 AND emoji_code = $3
     ORDER BY id LIMIT 1`,
    [messageId, emoji.reactionType, emoji.emojiCode],
  );
  return rows[0]?.emoji_name ?? null;
}

/**
 * Inserts a reaction. If the user did not receive the message, the message is added to the user's history. Returns
 * false if the user has already reacted with this emoji.
 */
export async function addReaction(
  tx: Tx,
  messageId: number,
  userId: number,
  historical: { readonly flags: number },
  emoji: EmojiReference,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH receipt AS (
       INSERT INTO user_messages (user_id, message_id, flags) VALUES ($2, $1, $6) ON CONFLICT DO NOTHING
     )
     INSERT INTO reactions (message_id, user_id, emoji_name, emoji_code, reaction_type) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    [messageId, userId, emoji.emojiName, emoji.emojiCode, emoji.reactionType, historical.flags],
  );
  return rowCount > 0;
}

/** Properties that select the reaction to remove. The reaction must match all properties that are not undefined. */
export interface ReactionRemovalSelection {
  readonly emojiName: string | undefined;
  /**
   * Code of the emoji, either sent by the client or derived from the emoji's name. If the code was not sent, a reaction
   * with the same emoji name also matches.
   */
  readonly emojiCode: string | undefined;
  readonly isCodeSent: boolean;
  readonly reactionType: EmojiTypeName | undefined;
}

/**
 * Removes a reaction of a user.
 *
 * @returns null if the user has no matching reaction
 */
export async function removeReaction(
  tx: Tx,
  messageId: number,
  userId: number,
  selection: ReactionRemovalSelection,
): Promise<EmojiReference | null> {
  const { rows } = await tx.query<ReactionRow>(
    `DELETE FROM reactions WHERE id = (
       SELECT id FROM reactions
       WHERE message_id = $1 AND user_id = $2 AND ($3::text IS NULL OR reaction_type = $3)
         AND (emoji_code = $4 OR (NOT $6 AND emoji_name = $5))
       ORDER BY id LIMIT 1)
     RETURNING emoji_name, emoji_code, reaction_type`,
    [
      messageId,
      userId,
      selection.reactionType ?? null,
      selection.emojiCode ?? null,
      selection.emojiName ?? null,
      selection.isCodeSent,
    ],
  );
  const [row] = rows;
  if (row === undefined) return null;
  return { emojiName: row.emoji_name, emojiCode: row.emoji_code, reactionType: row.reaction_type };
}
