import { z } from 'zod';
import { emojiUrlSql } from '../../core/realm-markdown-settings/index.js';

/** Schema of a custom emoji in the API (docs/contract/chat.md 2.A). */
export const wireEmojiSchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    source_url: z.string().meta({ description: 'Path of the image' }),
    still_url: z.string().nullable().meta({ description: 'Path of a still image; null if the emoji is not animated' }),
    deactivated: z.boolean(),
    author_id: z.int().nullable(),
  })
  .meta({ id: 'CustomEmoji' });

export type WireEmoji = z.infer<typeof wireEmojiSchema>;

/** Schema of an object with all custom emoji of a realm, by emoji id. */
export const wireEmojiMapSchema = z.record(z.string(), wireEmojiSchema);

/** Returns the folder of a realm's custom emoji, relative to the folder of all public pictures. */
export function getCustomEmojiStorageFolder(realmId: number): string {
  return `${realmId}/emoji/images`;
}

/** SQL expression of the API's JSON form of a row of `realm_emoji e`. */
export const emojiJsonSql = `json_build_object('id', e.id::text, 'name', e.name, 'source_url', ${emojiUrlSql},
  'still_url', CASE WHEN e.is_animated
    THEN '/user_avatars/' || e.realm_id || '/emoji/images/still/' || replace(e.file_name, '.gif', '.png') END,
  'deactivated', e.deactivated, 'author_id', e.author_id)`;
