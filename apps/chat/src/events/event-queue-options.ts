import { z } from 'zod';

/** Capabilities of a client (docs/contract/chat.md 3.3). A capability is false unless the client declares it. */
export const clientCapabilitiesSchema = z.object({
  notification_settings_null: z.boolean().default(false),
  bulk_message_deletion: z.boolean().default(false),
  user_avatar_url_field_optional: z.boolean().default(false),
  stream_typing_notifications: z.boolean().default(false),
  user_settings_object: z.boolean().default(false),
  linkifier_url_template: z.boolean().default(false),
  user_list_incomplete: z.boolean().default(false),
  include_deactivated_groups: z.boolean().default(false),
  archived_channels: z.boolean().default(false),
  empty_topic_name: z.boolean().default(false),
  simplified_presence_events: z.boolean().default(false),
  individual_emoji_changes: z.boolean().default(false),
});

export type ClientCapabilities = z.infer<typeof clientCapabilitiesSchema>;

/**
 * Schema of a condition that filters the message events of one event queue: an operator and an operand, as sent by the
 * client.
 */
const eventQueueNarrowTermSchema = z.tuple([z.string(), z.string()]);

/** Schema of the options that determine which events an event queue receives. */
export const eventQueueFilterSchema = z.object({
  /** Event types that the client of the event queue fetches; null for all types. */
  eventTypes: z.array(z.string()).nullable(),
  narrow: z.array(eventQueueNarrowTermSchema),
});

/** Schema of the options that determine the form of an event queue's events. */
export const eventQueueFormatSchema = z.object({
  applyMarkdown: z.boolean(),
  clientGravatar: z.boolean(),
  slimPresence: z.boolean().default(false),
  capabilities: clientCapabilitiesSchema,
});

export type EventQueueFilter = z.infer<typeof eventQueueFilterSchema>;
export type EventQueueFormat = z.infer<typeof eventQueueFormatSchema>;

/**
 * Audience role of event queues that receive messages of all public channels, even if the queue's owner is not a
 * recipient (docs/contract/chat.md 3.2).
 */
export const allPublicMessagesAudienceRole = 'public-messages';
