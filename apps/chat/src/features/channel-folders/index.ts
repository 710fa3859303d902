export { ChannelFoldersController } from './channel-folders.controller.js';
export { channelFolderEvents } from './channel-folders.events.js';
export { channelFolderSnapshotParts } from './channel-folders.snapshot.js';
export { ManageFolders } from './manage-folders.action.js';
