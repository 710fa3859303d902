import { defineSlice } from '../../events/define-feature-slice.js';
import { ArchiveChannel } from './archive-channel.action.js';
import { ChannelsController } from './channels.controller.js';
import { channelJobs } from './channels.jobs.js';
import { channelSnapshotParts } from './channels.snapshot.js';
import { defaultChannelGroupsEvent } from './default-channel-group.js';
import { DefaultChannelGroupsService } from './default-channel-groups.action.js';
import { DefaultChannelGroupsController } from './default-channel-groups.controller.js';
import { ReadChannels } from './read-channels.query.js';
import { SetDefaultChannel } from './set-default-channel.action.js';
import { streamEvents } from './channel.events.js';
import { subscriptionEvents } from './subscription.events.js';
import { UpdateChannel } from './update-channel.action.js';

/** Feature module (slice) that provides the endpoints, events, response parts and jobs of channels. */
export const channelsSlice = defineSlice('channels', {
  controllers: [ChannelsController, DefaultChannelGroupsController],
  providers: [ArchiveChannel, DefaultChannelGroupsService, ReadChannels, SetDefaultChannel, UpdateChannel],
  events: [...streamEvents, ...subscriptionEvents, defaultChannelGroupsEvent],
  snapshotParts: channelSnapshotParts,
  jobs: channelJobs,
});
