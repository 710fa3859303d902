import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ChannelFoldersController } from './channel-folders.controller.js';
import { channelFolderEvents } from './channel-folders.events.js';
import { channelFolderSnapshotParts } from './channel-folders.snapshot.js';
import { ChannelFoldersService } from './channel-folders.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of channel folders. */
export const channelFoldersFeatureModule = defineFeatureModule('channel-folders', {
  controllers: [ChannelFoldersController],
  providers: [ChannelFoldersService],
  events: channelFolderEvents,
  snapshotParts: channelFolderSnapshotParts,
});
