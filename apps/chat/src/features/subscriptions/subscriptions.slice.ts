import { ChannelNotificationMessages } from '../../core/channels/index.js';
import { defineSlice } from '../../events/define-feature-slice.js';
import { AnnounceChannels } from './announce-new-channels.js';
import { CreateChannel } from './create-channel.action.js';
import { PostChannelNotificationMessages } from './post-channel-notification-messages.js';
import { ReadSubscriptions } from './read-subscriptions.query.js';
import { SetSubscriptionPreferences } from './set-subscription-preferences.action.js';
import { SubscribeUsers } from './subscribe.action.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { NotifyNewSubscribers } from './notify-new-subscribers.js';
import { UnsubscribeUsers } from './unsubscribe.action.js';
import { UpdateSubscriptions } from './update-subscriptions.action.js';

/** Feature module (slice) of subscriptions. The module declares endpoints. */
export const subscriptionsSlice = defineSlice('subscriptions', {
  controllers: [SubscriptionsController],
  providers: [
    AnnounceChannels,
    CreateChannel,
    ReadSubscriptions,
    SetSubscriptionPreferences,
    SubscribeUsers,
    UnsubscribeUsers,
    UpdateSubscriptions,
    NotifyNewSubscribers,
    { provide: ChannelNotificationMessages, useClass: PostChannelNotificationMessages },
  ],
});
