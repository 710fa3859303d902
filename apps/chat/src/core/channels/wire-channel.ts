import { z } from 'zod';
import { groupPermissionValueSchema } from '../user-groups/index.js';

/**
 * Names of the permissions of a channel, in the order of docs/contract/chat.md 2.A. The table `channels` has a column
 * `<name>_id` for each permission.
 */
export const channelPermissionNames = [
  'can_add_subscribers_group',
  'can_remove_subscribers_group',
  'can_administer_channel_group',
  'can_delete_any_message_group',
  'can_delete_own_message_group',
  'can_move_messages_out_of_channel_group',
  'can_move_messages_within_channel_group',
  'can_send_message_group',
  'can_subscribe_group',
  'can_resolve_topics_group',
  'can_create_topic_group',
] as const;

export type ChannelPermission = (typeof channelPermissionNames)[number];

const channelFields = {
  stream_id: z.int(),
  name: z.string(),
  description: z.string(),
  rendered_description: z.string().meta({ description: 'HTML' }),
  date_created: z.int(),
  creator_id: z.int().nullable(),
  invite_only: z.boolean(),
  is_web_public: z.boolean(),
  is_archived: z.boolean(),
  history_public_to_subscribers: z.boolean(),
  first_message_id: z.int().nullable(),
  folder_id: z.int().nullable(),
  is_recently_active: z.boolean(),
  is_announcement_only: z.boolean(),
  stream_post_policy: z.literal([1, 2, 3, 4]),
  message_retention_days: z.int().nullable(),
  topics_policy: z.enum(['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only']),
  subscriber_count: z.int(),
  stream_weekly_traffic: z.int().nullable(),
  can_add_subscribers_group: groupPermissionValueSchema,
  can_remove_subscribers_group: groupPermissionValueSchema,
  can_administer_channel_group: groupPermissionValueSchema,
  can_delete_any_message_group: groupPermissionValueSchema,
  can_delete_own_message_group: groupPermissionValueSchema,
  can_move_messages_out_of_channel_group: groupPermissionValueSchema,
  can_move_messages_within_channel_group: groupPermissionValueSchema,
  can_send_message_group: groupPermissionValueSchema,
  can_subscribe_group: groupPermissionValueSchema,
  can_resolve_topics_group: groupPermissionValueSchema,
  can_create_topic_group: groupPermissionValueSchema,
};

const optionalSubscriberIdListSchema = z.array(z.int()).optional();

/** Schema of a channel in the API (docs/contract/chat.md 2.A). */
export const wireChannelSchema = z.strictObject(channelFields).meta({ id: 'Channel' });

/**
 * Schema of a channel to which the user never subscribed. Includes the subscribers of the channel if the client
 * requested them.
 */
export const wireNeverSubscribedSchema = z
  .strictObject({
    ...channelFields,
    subscribers: optionalSubscriberIdListSchema,
    partial_subscribers: optionalSubscriberIdListSchema,
  })
  .meta({ id: 'NeverSubscribedChannel' });

/**
 * Schema of a channel to which the user subscribes, with the user's subscription settings. A null notification setting
 * means that the user's own setting applies.
 */
export const wireSubscriptionSchema = z
  .strictObject({
    ...channelFields,
    color: z.string(),
    is_muted: z.boolean(),
    in_home_view: z.boolean(),
    pin_to_top: z.boolean(),
    desktop_notifications: z.boolean().nullable(),
    audible_notifications: z.boolean().nullable(),
    push_notifications: z.boolean().nullable(),
    email_notifications: z.boolean().nullable(),
    wildcard_mentions_notify: z.boolean().nullable(),
    subscribers: optionalSubscriberIdListSchema,
    partial_subscribers: optionalSubscriberIdListSchema,
  })
  .meta({ id: 'Subscription' });

export type WireChannel = z.infer<typeof wireChannelSchema>;
export type WireSubscription = z.infer<typeof wireSubscriptionSchema>;
