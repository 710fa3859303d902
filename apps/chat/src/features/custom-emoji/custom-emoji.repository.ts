import type { Tx } from '@switchboard/database';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { CustomEmojiRecord } from '../../infra/emoji/emoji-reference.js';
import { emojiJsonSql, type WireEmoji } from './wire-emoji.js';

/** Returns all custom emoji of a realm by id, including deactivated emoji. */
export async function listEmoji(tx: SqlQueryRunner, realmId: number): Promise<Record<string, WireEmoji>> {
  const { rows } = await tx.query<{ emoji: Record<string, WireEmoji> | null }>(
    `SELECT json_object_agg(e.id, ${emojiJsonSql} ORDER BY e.id) AS emoji FROM realm_emoji e WHERE e.realm_id = $1`,
    [realmId],
  );
  return rows[0]?.emoji ?? {};
}

/** A custom emoji to be created. */
export interface NewEmoji {
  readonly realmId: number;
  readonly authorId: number;
  readonly name: string;
  readonly fileName: string;
  readonly isAnimated: boolean;
}

/** Inserts a custom emoji. The caller must have called {@link lockCustomEmoji} and checked the name of the emoji. */
export async function addEmoji(tx: Tx, added: NewEmoji): Promise<WireEmoji> {
  const { rows } = await tx.query<{ emoji: WireEmoji }>(
    `INSERT INTO realm_emoji AS e (realm_id, author_id, name, file_name, is_animated) VALUES ($1, $2, $3, $4, $5)
     RETURNING ${emojiJsonSql} AS emoji`,
    [added.realmId, added.authorId, added.name, added.fileName, added.isAnimated],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.emoji;
}

/** Deactivates the custom emoji with the given id. */
export async function deactivateEmoji(tx: Tx, id: string): Promise<void> {
  await tx.query('UPDATE realm_emoji SET deactivated = true WHERE id = $1', [Number(id)]);
}

/**
 * Looks up the custom emoji to which a name or an id may refer. Returns the active emoji with the name, and the emoji
 * with the id.
 */
export async function findCustomEmoji(
  tx: SqlQueryRunner,
  realmId: number,
  sent: { readonly emoji_name?: string | undefined; readonly emoji_code?: string | undefined },
): Promise<CustomEmojiRecord[]> {
  const id = /^\d{1,9}$/.test(sent.emoji_code ?? '') ? Number(sent.emoji_code) : null;
  const { rows } = await tx.query<CustomEmojiRecord>(
    `SELECT e.id::text AS id, e.name, e.deactivated FROM realm_emoji e
     WHERE e.realm_id = $1 AND ((e.name = $2 AND NOT e.deactivated) OR e.id = $3)`,
    [realmId, sent.emoji_name ?? null, id],
  );
  return rows;
}
