import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { emojiJsonSql, type WireEmoji, wireEmojiMapSchema } from './wire-emoji.js';

const customEmojiSnapshotPart = defineSqlSnapshotPart({
  types: ['realm_emoji'],
  shape: { realm_emoji: wireEmojiMapSchema },
  sql: `SELECT json_object_agg(e.id, ${emojiJsonSql} ORDER BY e.id) FROM realm_emoji e WHERE e.realm_id = $1`,
  fields: (emoji: Record<string, WireEmoji> | null) => ({ realm_emoji: emoji ?? {} }),
});

/** Part of the POST /register response with all custom emoji of the realm, including deactivated emoji. */
export const customEmojiSnapshotParts = [customEmojiSnapshotPart];
