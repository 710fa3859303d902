import { ChannelNotificationMessagePoster } from '../../core/channels/index.js';
import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { AnnounceNewChannels } from './announce-new-channels.js';
import { CreateChannel } from './create-channel.action.js';
import { ChannelChangeMessagePoster } from './post-channel-notification-messages.js';
import { ReadSubscriptions } from './read-subscriptions.query.js';
import { SetSubscriptionPreferences } from './set-subscription-preferences.action.js';
import { SubscribeUsersToChannels } from './subscribe.action.js';
import { SubscriptionsController } from './subscriptions.controller.js';
import { NewSubscriberNotifier } from './notify-new-subscribers.js';
import { UnsubscribeUsersFromChannels } from './unsubscribe.action.js';
import { UpdateSubscriptions } from './update-subscriptions.action.js';

/** Feature module (slice) of subscriptions. The module declares endpoints. */
export const subscriptionsFeatureModule = defineFeatureModule('subscriptions', {
  controllers: [SubscriptionsController],
  providers: [
    AnnounceNewChannels,
    CreateChannel,
    ReadSubscriptions,
    SetSubscriptionPreferences,
    SubscribeUsersToChannels,
    UnsubscribeUsersFromChannels,
    UpdateSubscriptions,
    NewSubscriberNotifier,
    { provide: ChannelNotificationMessagePoster, useClass: ChannelChangeMessagePoster },
  ],
});
