import { z } from 'zod';

/** Schema of the event types to which webhooks can be subscribed: all event types with a `webhookOrder`. */
export const subscribableEventTypeSchema = z.enum([
  'channel_folder',
  'custom_profile_fields',
  'default_stream_groups',
  'default_streams',
  'delete_message',
  'message',
  'reaction',
  'realm',
  'realm_domains',
  'realm_emoji',
  'realm_linkifiers',
  'realm_playgrounds',
  'realm_user',
  'stream',
  'submessage',
  'subscription',
  'update_message',
  'user_group',
  'user_status',
]);

/** Type of the event that an administrator sends to test a webhook. Webhooks cannot be subscribed to this type. */
export const testEventType = 'test';
