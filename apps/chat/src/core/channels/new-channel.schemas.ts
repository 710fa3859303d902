import { z } from 'zod';
import { groupPermissionValueSchema } from '../user-groups/index.js';

export const topicsPolicySchema = z.enum(['inherit', 'allow_empty_topic', 'disable_empty_topic', 'empty_topic_only']);

const permissionHolderSchema = groupPermissionValueSchema.optional();

/**
 * Properties of a new channel as request parameters (docs/contract/chat.md 2.E), which two endpoints that create
 * channels have in common.
 */
export const newChannelSchemaShape = {
  announce: z.boolean().default(false),
  invite_only: z.boolean().default(false),
  is_web_public: z.boolean().default(false),
  is_default_stream: z.boolean().default(false),
  history_public_to_subscribers: z.boolean().optional(),
  message_retention_days: z.string().optional().meta({ description: 'A number of days, realm_default or unlimited' }),
  topics_policy: topicsPolicySchema.optional(),
  folder_id: z.int().optional(),
  send_new_subscription_messages: z.boolean().default(true),
  can_add_subscribers_group: permissionHolderSchema,
  can_remove_subscribers_group: permissionHolderSchema,
  can_administer_channel_group: permissionHolderSchema,
  can_delete_any_message_group: permissionHolderSchema,
  can_delete_own_message_group: permissionHolderSchema,
  can_move_messages_out_of_channel_group: permissionHolderSchema,
  can_move_messages_within_channel_group: permissionHolderSchema,
  can_send_message_group: permissionHolderSchema,
  can_subscribe_group: permissionHolderSchema,
  can_resolve_topics_group: permissionHolderSchema,
  can_create_topic_group: permissionHolderSchema,
};

const newChannelSchema = z.object(newChannelSchemaShape);

/** Parsed properties of a new channel. */
export type NewChannelParameters = z.output<typeof newChannelSchema>;
