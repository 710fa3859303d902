import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { wireChannelFolderSchema } from './wire-channel-folder.js';

const channelFoldersEventAudience = 'All users of the realm.';

/** Event that informs users about a new channel folder (docs/contract/chat.md 3.4). */
export const channelFolderAddEvent = defineEventType({
  name: 'channel_folder/add',
  webhookOrder: 'type',
  audience: channelFoldersEventAudience,
  payload: z.strictObject({ folder: wireChannelFolderSchema }),
}).addVariant({
  type: 'channel_folder',
  op: 'add',
  fields: { channel_folder: wireChannelFolderSchema },
  render: ({ folder }) => ({ channel_folder: folder }),
});

const changedChannelFolderFieldsSchema = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  rendered_description: z.string().optional(),
  is_archived: z.boolean().optional(),
});

export type ChangedChannelFolderFields = z.infer<typeof changedChannelFolderFieldsSchema>;

/** Event that informs users about the changed fields of a channel folder. */
export const folderUpdateEvent = defineEventType({
  name: 'channel_folder/update',
  webhookOrder: 'type',
  audience: channelFoldersEventAudience,
  payload: z.strictObject({ folderId: z.int(), change: changedChannelFolderFieldsSchema }),
}).addVariant({
  type: 'channel_folder',
  op: 'update',
  fields: { channel_folder_id: z.int(), data: changedChannelFolderFieldsSchema },
  render: ({ folderId, change: data }) => ({ channel_folder_id: folderId, data }),
});

/**
 * Event that informs users about a new order of channel folders. Contains the ids of all folders, including archived
 * folders.
 */
export const folderReorderEvent = defineEventType({
  name: 'channel_folder/reorder',
  webhookOrder: 'type',
  audience: channelFoldersEventAudience,
  payload: z.strictObject({ order: z.array(z.int()) }),
}).addVariant({
  type: 'channel_folder',
  op: 'reorder',
  fields: { order: z.array(z.int()) },
  render: ({ order }) => ({ order }),
});

export const channelFolderEvents = [channelFolderAddEvent, folderUpdateEvent, folderReorderEvent];
