import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ArchiveChannel } from './archive-channel.action.js';
import { ChannelsController } from './channels.controller.js';
import { createChannelJobs } from './channels.jobs.js';
import { channelSnapshotParts } from './channels.snapshot.js';
import { defaultChannelGroupsEvent } from './default-channel-group.js';
import { DefaultChannelGroupsService } from './default-channel-groups.action.js';
import { DefaultChannelGroupsController } from './default-channel-groups.controller.js';
import { ReadChannels } from './read-channels.query.js';
import { AddOrRemoveDefaultChannel } from './set-default-channel.action.js';
import { channelEventTypes } from './channel.events.js';
import { subscriptionEventTypes } from './subscription.events.js';
import { UpdateChannel } from './update-channel.action.js';

/** Feature module (slice) that provides the endpoints, events, response parts and jobs of channels. */
export const channelsFeatureModule = defineFeatureModule('channels', {
  controllers: [ChannelsController, DefaultChannelGroupsController],
  providers: [ArchiveChannel, DefaultChannelGroupsService, ReadChannels, AddOrRemoveDefaultChannel, UpdateChannel],
  events: [...channelEventTypes, ...subscriptionEventTypes, defaultChannelGroupsEvent],
  snapshotParts: channelSnapshotParts,
  jobs: createChannelJobs,
});
