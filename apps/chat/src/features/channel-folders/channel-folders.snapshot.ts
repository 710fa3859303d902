import { z } from 'zod';
import { defineSqlSnapshotPart } from '../../events/snapshot-part.js';
import { folderJson, type WireChannelFolder, wireChannelFolder } from './wire-channel-folder.js';

const foldersPart = defineSqlSnapshotPart({
  types: ['channel_folders'],
  shape: { channel_folders: z.array(wireChannelFolder) },
  sql: `SELECT json_agg(${folderJson} ORDER BY f.position, f.id) FROM channel_folders f WHERE f.realm_id = $1`,
  fields: (folders: WireChannelFolder[] | null) => ({ channel_folders: folders ?? [] }),
});

/** Parts of the snapshot: all folders, archived ones included (docs/contract/chat.md 4.2). */
export const channelFolderSnapshotParts = [foldersPart];
