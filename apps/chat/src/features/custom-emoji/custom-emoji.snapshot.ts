import { defineSqlSnapshotPart } from '../../events/snapshot-part.js';
import { emojiJson, type WireEmoji, wireEmojiMap } from './wire-emoji.js';

const emojiPart = defineSqlSnapshotPart({
  types: ['realm_emoji'],
  shape: { realm_emoji: wireEmojiMap },
  sql: `SELECT json_object_agg(e.id, ${emojiJson} ORDER BY e.id) FROM realm_emoji e WHERE e.realm_id = $1`,
  fields: (emoji: Record<string, WireEmoji> | null) => ({ realm_emoji: emoji ?? {} }),
});

/** Parts of the snapshot: all emoji of the realm, deactivated ones included. */
export const customEmojiSnapshotParts = [emojiPart];
