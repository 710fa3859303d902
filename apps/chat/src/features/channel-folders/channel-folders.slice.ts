import { defineSlice } from '../../events/define-slice.js';
import { ChannelFoldersController } from './channel-folders.controller.js';
import { channelFolderEvents } from './channel-folders.events.js';
import { channelFolderSnapshotParts } from './channel-folders.snapshot.js';
import { ManageFolders } from './manage-folders.action.js';

/** The slice of channel folders. */
export const channelFoldersSlice = defineSlice('channel-folders', {
  controllers: [ChannelFoldersController],
  providers: [ManageFolders],
  events: channelFolderEvents,
  snapshotParts: channelFolderSnapshotParts,
});
