import { z } from 'zod';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import {
  eventClientFilterSchema,
  createChannelEventClientFilter,
  matchesEventClientFilter,
} from './event-client-filter-schema.js';
import { subscribersAddedEvent, subscribersRemovedEvent } from './subscriber.events.js';
import { allNotificationSettingsInherited, getChangeableSubscriptionFields } from './convert-to-wire-channel.js';
import { wireChannelSchema, wireSubscriptionSchema, type WireSubscription } from './wire-channel.js';

const userIdListSchema = z.array(z.int());
const inheritableNotificationSettingSchema = z.boolean().nullable();
const inheritedNotificationSettingFields = {
  desktop_notifications: inheritableNotificationSettingSchema,
  audible_notifications: inheritableNotificationSettingSchema,
  push_notifications: inheritableNotificationSettingSchema,
  email_notifications: inheritableNotificationSettingSchema,
  wildcard_mentions_notify: inheritableNotificationSettingSchema,
};

/** Schema of subscribers whose subscription settings and inherited settings are equal. */
const subscribersWithEqualSettingsSchema = z.strictObject({
  userIds: userIdListSchema,
  preferences: z.strictObject({
    is_active: z.boolean(),
    color: z.string(),
    is_muted: z.boolean(),
    pin_to_top: z.boolean(),
    ...inheritedNotificationSettingFields,
  }),
  defaults: z.strictObject(inheritedNotificationSettingFields),
});

export type SubscribersWithEqualSettings = z.infer<typeof subscribersWithEqualSettingsSchema>;

/**
 * Event that informs users that they were subscribed to channels. One event log entry contains the subscriptions of all
 * users, but each user receives only their own subscriptions (docs/contract/chat.md 3.4).
 */
export const subscriptionAddEvent = defineEventType({
  name: 'subscription/add',
  webhookOrder: 'type',
  audience: 'The new subscribers.',
  payload: z.strictObject({
    channels: z.array(
      z.strictObject({
        channel: wireChannelSchema,
        subscribers: userIdListSchema,
        people: z.array(subscribersWithEqualSettingsSchema),
      }),
    ),
    clients: eventClientFilterSchema,
  }),
  divide: createPayloadDividerByLists('channels'),
}).addVariant({
  type: 'subscription',
  op: 'add',
  fields: { subscriptions: z.array(wireSubscriptionSchema) },
  when: matchesEventClientFilter,
  render({ channels }, { viewer, capabilities }) {
    const subscriptions = channels.flatMap(({ channel, subscribers, people }): WireSubscription[] => {
      const own = people.find(({ userIds }) => userIds.includes(viewer.id));
      if (own === undefined) return [];
      const defaults = capabilities.notification_settings_null ? allNotificationSettingsInherited : own.defaults;
      return [{ ...channel, ...getChangeableSubscriptionFields(own.preferences, defaults), subscribers }];
    });
    return subscriptions.length === 0 ? null : { subscriptions };
  },
});

/**
 * Event that informs users that they were unsubscribed from channels. One event log entry contains all unsubscribed
 * users.
 */
export const subscriptionRemoveEvent = defineEventType({
  name: 'subscription/remove',
  webhookOrder: 'type',
  audience: 'The former subscribers.',
  payload: z.strictObject({
    channels: z.array(z.strictObject({ id: z.int(), name: z.string(), userIds: userIdListSchema })),
  }),
  divide: createPayloadDividerByLists('channels'),
}).addVariant({
  type: 'subscription',
  op: 'remove',
  fields: { subscriptions: z.array(z.strictObject({ stream_id: z.int(), name: z.string() })) },
  render({ channels }, { viewer }) {
    const own = channels.filter(({ userIds }) => userIds.includes(viewer.id));
    return own.length === 0 ? null : { subscriptions: own.map(({ id, name }) => ({ stream_id: id, name })) };
  },
});

/**
 * Event that informs a subscriber about a changed property of the subscription. A change of muting is also emitted
 * under the property's older name.
 */
export const subscriptionUpdateEvent = defineEventType({
  name: 'subscription/update',
  audience: 'Only the subscriber; for archived channels, clients with the capability archived_channels.',
  payload: z.strictObject({
    channelId: z.int(),
    isArchived: z.boolean(),
    property: z.string(),
    value: z.union([z.boolean(), z.string()]),
  }),
  count: ({ property }) => (property === 'is_muted' ? 2 : 1),
}).addVariant({
  type: 'subscription',
  op: 'update',
  fields: { stream_id: z.int(), property: z.string(), value: z.union([z.boolean(), z.string()]) },
  when: (reader, { isArchived }) =>
    matchesEventClientFilter(reader, { clients: createChannelEventClientFilter({ is_archived: isArchived }) }),
  render({ channelId, property, value }) {
    const update = { stream_id: channelId, property, value };
    if (property !== 'is_muted') return update;
    return [update, { stream_id: channelId, property: 'in_home_view', value: value !== true }];
  },
});

/** All types of events that inform a subscriber about the subscriber's own subscriptions. */
export const subscriptionEventTypes = [
  subscriptionAddEvent,
  subscriptionRemoveEvent,
  subscriptionUpdateEvent,
  subscribersAddedEvent,
  subscribersRemovedEvent,
];
