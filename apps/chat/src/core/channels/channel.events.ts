import { z } from 'zod';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import { groupPermissionValueSchema } from '../user-groups/index.js';
import { eventClientFilterSchema, matchesEventClientFilter } from './event-client-filter-schema.js';
import { channelPermissionNames, wireChannelSchema } from './wire-channel.js';

const channelIdListSchema = z.array(z.int());

/**
 * Event that informs users about channels that became visible to them (docs/contract/chat.md 3.4). `subscriber_count`
 * is 0 if a `subscription/peer_add` event with all subscribers follows.
 */
export const channelCreateEvent = defineEventType({
  name: 'stream/create',
  webhookOrder: 'type',
  audience:
    'All users for whom the channels become visible: new channels, and channels that the users could not see before.',
  payload: z.strictObject({ channels: z.array(wireChannelSchema), clients: eventClientFilterSchema }),
  divide: createPayloadDividerByLists('channels'),
}).addVariant({
  type: 'stream',
  op: 'create',
  fields: { streams: z.array(wireChannelSchema) },
  when: matchesEventClientFilter,
  render: ({ channels }) => ({ streams: channels }),
});

/** Event that informs users about channels that they can no longer see. */
export const channelDeleteEvent = defineEventType({
  name: 'stream/delete',
  webhookOrder: 'type',
  audience:
    'All users who can no longer see the channels; for archived channels, clients without the capability archived_channels.',
  payload: z.strictObject({ channelIds: channelIdListSchema, clients: eventClientFilterSchema }),
  divide: createPayloadDividerByLists('channelIds'),
}).addVariant({
  type: 'stream',
  op: 'delete',
  fields: { streams: z.array(z.strictObject({ stream_id: z.int() })), stream_ids: channelIdListSchema },
  when: matchesEventClientFilter,
  render: ({ channelIds }) => ({ streams: channelIds.map((id) => ({ stream_id: id })), stream_ids: channelIds }),
});

const channelUpdatePropertyNames = [
  'name',
  'description',
  'invite_only',
  'is_archived',
  'folder_id',
  'first_message_id',
  'is_recently_active',
  'stream_weekly_traffic',
  'message_retention_days',
  'topics_policy',
  'stream_post_policy',
  'is_announcement_only',
  ...channelPermissionNames,
] as const;

const channelUpdateEventFields = {
  stream_id: z.int(),
  name: z.string(),
  property: z.enum(channelUpdatePropertyNames),
  value: z.union([z.string(), z.boolean(), z.int().nullable(), groupPermissionValueSchema]),
  rendered_description: z.string().optional().meta({ description: 'With the property description' }),
  history_public_to_subscribers: z.boolean().optional().meta({ description: 'With the property invite_only' }),
  is_web_public: z.boolean().optional().meta({ description: 'With the property invite_only' }),
};

const channelPropertyChangeSchema = z.strictObject(channelUpdateEventFields);

/** A changed property of a channel, together with the properties whose values depend on the changed property. */
export type ChannelPropertyChange = z.infer<typeof channelPropertyChangeSchema>;

/** Event that informs users about a changed property of a channel. */
export const channelUpdateEvent = defineEventType({
  name: 'stream/update',
  webhookOrder: 'type',
  audience: 'All users who can see the channel before and after the change.',
  payload: z.strictObject({ change: channelPropertyChangeSchema, clients: eventClientFilterSchema }),
}).addVariant({
  type: 'stream',
  op: 'update',
  fields: channelUpdateEventFields,
  when: matchesEventClientFilter,
  render: (payload) => payload.change,
});

/** Event with the complete list of default channels, sent after a change of that list. */
export const defaultChannelsEvent = defineEventType({
  name: 'default_streams',
  webhookOrder: 'type',
  audience: 'All users except guests.',
  payload: z.strictObject({ channelIds: channelIdListSchema }),
}).addVariant({
  type: 'default_streams',
  fields: { default_streams: channelIdListSchema },
  render: ({ channelIds }) => ({ default_streams: channelIds }),
});

/** All types of events about channels themselves, without events about subscriptions. */
export const channelEventTypes = [channelCreateEvent, channelDeleteEvent, channelUpdateEvent, defaultChannelsEvent];
