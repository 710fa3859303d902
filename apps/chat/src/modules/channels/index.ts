export { addChannel, addSubscriptions, type NewChannel } from './add-channel.js';
export { listChannels, listSubscribers, type ChannelRow, type SubscriptionRow } from './channels.repository.js';
export { toWireChannel, toWirePreferences, type ChannelContext, type NotificationDefaults } from './to-wire-channel.js';
export {
  wireChannel,
  wireNeverSubscribed,
  wireSubscription,
  type WireChannel,
  type WireNeverSubscribed,
  type WireSubscription,
} from './wire-channel.js';
