import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/define-snapshot-part.js';
import { type WireChannelFolder, wireChannelFolderSchema } from './wire-channel-folder.js';

/** SQL expression of the API's JSON form of a row of `channel_folders f`. */
const channelFolderJsonSql = `json_build_object('id', f.id, 'name', f.name, 'description', f.description,
  'rendered_description', f.rendered_description, 'order', f.position,
  'date_created', floor(extract(epoch FROM f.date_created))::bigint, 'creator_id', f.creator_id,
  'is_archived', f.is_archived)`;

const channelFoldersSnapshotPart = defineSqlSnapshotPart({
  types: ['channel_folders'],
  shape: { channel_folders: z.array(wireChannelFolderSchema) },
  sql: `SELECT json_agg(${channelFolderJsonSql} ORDER BY f.position, f.id) FROM channel_folders f WHERE f.realm_id = $1`,
  fields: (folders: WireChannelFolder[] | null) => ({ channel_folders: folders ?? [] }),
});

/**
 * Part of the POST /register response with all channel folders, including archived folders (docs/contract/chat.md 4.2).
 */
export const channelFolderSnapshotParts = [channelFoldersSnapshotPart];
