import { z } from 'zod';

/** Schema of the event types that webhooks can subscribe to: all event types with a `webhookOrder`. */
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

/** Type of the event that an administrator requests to test a webhook. No webhook subscribes to it. */
export const testEventType = 'test';
