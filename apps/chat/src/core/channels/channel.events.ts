import { z } from 'zod';
import { defineEvent, dividePayloadByLists } from '../../events/define-event-type.js';
import { groupSettingValueSchema } from '../user-groups/index.js';
import { clientFilterSchema, matchesEventClientFilter } from './event-client-filter-schema.js';
import { channelPermissions, wireChannelSchema } from './wire-channel.js';

const channelIdListSchema = z.array(z.int());

/**
 * Event that informs users about channels that became visible to them (docs/contract/chat.md 3.4). `subscriber_count`
 * is 0 if a `subscription/peer_add` event with all subscribers follows.
 */
export const streamCreateEvent = defineEvent({
  name: 'stream/create',
  webhookOrder: 'type',
  audience:
    'All users for whom the channels become visible: new channels, and channels that the users could not see before.',
  payload: z.strictObject({ channels: z.array(wireChannelSchema), clients: clientFilterSchema }),
  divide: dividePayloadByLists('channels'),
}).withVariant({
  type: 'stream',
  op: 'create',
  fields: { streams: z.array(wireChannelSchema) },
  when: matchesEventClientFilter,
  render: ({ channels }) => ({ streams: channels }),
});

/** Event that informs users about channels that they can no longer see. */
export const streamDeleteEvent = defineEvent({
  name: 'stream/delete',
  webhookOrder: 'type',
  audience:
    'All users who can no longer see the channels; for archived channels, clients without the capability archived_channels.',
  payload: z.strictObject({ channelIds: channelIdListSchema, clients: clientFilterSchema }),
  divide: dividePayloadByLists('channelIds'),
}).withVariant({
  type: 'stream',
  op: 'delete',
  fields: { streams: z.array(z.strictObject({ stream_id: z.int() })), stream_ids: channelIdListSchema },
  when: matchesEventClientFilter,
  render: ({ channelIds }) => ({ streams: channelIds.map((id) => ({ stream_id: id })), stream_ids: channelIds }),
});

const changedProperties = [
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
  ...channelPermissions,
] as const;

const streamUpdateEventFields = {
  stream_id: z.int(),
  name: z.string(),
  property: z.enum(changedProperties),
  value: z.union([z.string(), z.boolean(), z.int().nullable(), groupSettingValueSchema]),
  rendered_description: z.string().optional().meta({ description: 'With the property description' }),
  history_public_to_subscribers: z.boolean().optional().meta({ description: 'With the property invite_only' }),
  is_web_public: z.boolean().optional().meta({ description: 'With the property invite_only' }),
};

const streamChangeSchema = z.strictObject(streamUpdateEventFields);

/** A changed property of a channel, together with the properties whose values depend on the changed property. */
export type StreamChange = z.infer<typeof streamChangeSchema>;

/** Event that informs users about a changed property of a channel. */
export const streamUpdateEvent = defineEvent({
  name: 'stream/update',
  webhookOrder: 'type',
  audience: 'All users who can see the channel before and after the change.',
  payload: z.strictObject({ change: streamChangeSchema, clients: clientFilterSchema }),
}).withVariant({
  type: 'stream',
  op: 'update',
  fields: streamUpdateEventFields,
  when: matchesEventClientFilter,
  render: (payload) => payload.change,
});

/** Event with the complete list of default channels, sent after a change of that list. */
export const defaultStreamsEvent = defineEvent({
  name: 'default_streams',
  webhookOrder: 'type',
  audience: 'All users except guests.',
  payload: z.strictObject({ channelIds: channelIdListSchema }),
}).withVariant({
  type: 'default_streams',
  fields: { default_streams: channelIdListSchema },
  render: ({ channelIds }) => ({ default_streams: channelIds }),
});

/** All types of events about channels themselves, without events about subscriptions. */
export const streamEvents = [streamCreateEvent, streamDeleteEvent, streamUpdateEvent, defaultStreamsEvent];
