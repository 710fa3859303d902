export { channelsFeatureModule } from './channels.slice.js';
export {
  type VisibleChannels,
  listVisibleChannels,
  emitChannelVisibilityChanges,
  emitDefaultChannelsToUsers,
} from './list-visible-channels.js';
export { createChannelEventClientFilter } from './event-client-filter-schema.js';
export {
  createRealmChannelsDataSource,
  createCurrentChannelTexts,
  appendFieldsToJsonObject,
} from './channel-list-cache.js';
export {
  createDeactivatedUsersDataSource,
  createActiveSubscribersDataSource,
  createRealmSubscribersDataSource,
} from './subscriber-lists-json.js';
export { addChannel } from './add-channel.js';
export { addSubscriptions, type AddedSubscription, type NewSubscription } from './add-subscriptions.js';
export { ActiveSubscriberCache } from './active-subscribers.js';
export { listChannelAudiences, type ChannelAudience } from './channel-audience.repository.js';
export { parseChannelDescription, parseChannelName } from './channel-name-schema.js';
export { listUnusedChannelNames } from './channel-names.repository.js';
export type { ChannelChangeWithAudiences } from './emit-channel-changes.js';
export { ChannelNotificationMessagePoster } from './channel-notification-messages.js';
export { ChannelRights } from './channel-rights.js';
export {
  listChannels,
  listChannelAccess,
  listFrequentlyChangedChannelFields,
  listSubscriberTexts,
  type SubscriptionRow,
} from './channels.repository.js';
export { createChannels } from './create-channels.js';
export { readDefaultChannels } from './default-channels.repository.js';
export { lockChannels, type LockedChannel } from './lock-channels.repository.js';
export { newChannelSchemaShape } from './new-channel.schemas.js';
export {
  createChannelSubscriberChanges,
  emitSubscribersAdded,
  emitSubscribersRemoved,
} from './emit-subscriber-changes.js';
export { ReadChannels } from './read-channels.query.js';
export { readWireChannels } from './read-wire-channels.js';
export { mergeSubscriberCounts, subscriberCountSql } from './subscriber-counts.js';
export { updateChannelTraffic } from './measure-channel-traffic.js';
export { defaultChannelsEvent, channelCreateEvent, channelDeleteEvent, channelUpdateEvent } from './channel.events.js';
export { subscriptionAddEvent, subscriptionRemoveEvent, subscriptionUpdateEvent } from './subscription.events.js';
export {
  notificationDefaultsColumns,
  type UserNotificationDefaultsRow,
  getUserNotificationDefaults,
  groupSubscribersBySettings,
  type SubscriberWithNotificationDefaults,
} from './channel-subscribers.js';
export { allNotificationSettingsInherited, getChangeableSubscriptionFields } from './convert-to-wire-channel.js';
export { wireSubscriptionSchema, type WireChannel } from './wire-channel.js';
