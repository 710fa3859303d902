export { channelsSlice } from './channels.slice.js';
export {
  type VisibleChannels,
  listVisibleChannels,
  emitChannelVisibilityChanges,
  emitDefaultChannelsToUsers,
} from './list-visible-channels.js';
export { createClientFilter } from './event-client-filter-schema.js';
export { channelListsDataSource, currentChannelTexts, appendFieldsToJsonObject } from './channel-list-cache.js';
export { deactivatedUsersSource, subscribersSource, subscriptionsSource } from './subscriber-lists-json.js';
export { addChannel } from './add-channel.js';
export { addSubscriptions, type AddedSubscription, type NewSubscription } from './add-subscriptions.js';
export { ActiveSubscriberCache } from './active-subscribers.js';
export { listChannelAudiences, type ChannelAudience } from './channel-audience.repository.js';
export { channelDescription, channelName } from './channel-name-schema.js';
export { listUnusedNames } from './channel-names.repository.js';
export type { ChannelChange } from './emit-channel-changes.js';
export { ChannelNotificationMessages } from './channel-notification-messages.js';
export { ChannelRights } from './channel-rights.js';
export {
  listChannels,
  listChannelAccess,
  listFrequentlyChangedFields,
  listSubscriberTexts,
  type SubscriptionRow,
} from './channels.repository.js';
export { createChannels } from './create-channels.js';
export { readDefaultChannels } from './default-channels.repository.js';
export { lockChannels, type LockedChannel } from './lock-channels.repository.js';
export { newChannelSchemaShape } from './new-channel.schemas.js';
export { subscriberChanges, emitSubscribersAdded, emitSubscribersRemoved } from './emit-subscriber-changes.js';
export { ReadChannels } from './read-channels.query.js';
export { readWireChannels } from './read-wire-channels.js';
export { mergeSubscriberCounts, subscriberCountSql } from './subscriber-counts.js';
export { measureTraffic } from './measure-channel-traffic.js';
export { defaultStreamsEvent, streamCreateEvent, streamDeleteEvent, streamUpdateEvent } from './channel.events.js';
export { subscriptionAddEvent, subscriptionRemoveEvent, subscriptionUpdateEvent } from './subscription.events.js';
export {
  notificationDefaultsColumns,
  type NotificationDefaultsRow,
  notificationDefaults,
  groupSubscribersBySettings,
  type SubscriberWithDefaults,
} from './channel-subscribers.js';
export { allNotificationSettingsInherited, toNotificationSettings } from './convert-to-wire-channel.js';
export { wireSubscriptionSchema, type WireChannel } from './wire-channel.js';
