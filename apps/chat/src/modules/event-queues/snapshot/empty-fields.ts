import { z } from 'zod';
import type { SnapshotContext } from './snapshot-context.js';

const nothing = z.array(z.never());
const noKeys = z.strictObject({});
const fieldType = z.strictObject({ id: z.int(), name: z.string() });

/** Types of custom profile fields (chat.md 4.9). */
const fieldTypes = {
  SHORT_TEXT: { id: 1, name: 'Text (short)' },
  LONG_TEXT: { id: 2, name: 'Text (long)' },
  SELECT: { id: 3, name: 'List of options' },
  DATE: { id: 4, name: 'Date' },
  URL: { id: 5, name: 'Link' },
  USER: { id: 6, name: 'Users' },
  EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
  PRONOUNS: { id: 8, name: 'Pronouns' },
};

/**
 * Fields of what this server does not keep: clients insist on most of them, so each is there with the value that means
 * "none" (chat-contract 4.2 and 4.5). By fetch type: name, schema, value.
 */
const fields = {
  alert_words: { alert_words: [nothing, []] },
  custom_profile_fields: {
    custom_profile_fields: [nothing, []],
    custom_profile_field_types: [z.record(z.string(), fieldType), fieldTypes],
  },
  default_stream_groups: { realm_default_stream_groups: [nothing, []] },
  drafts: { drafts: [nothing, []] },
  scheduled_messages: { scheduled_messages: [nothing, []] },
  reminders: { reminders: [nothing, []], max_reminder_note_length: [z.int(), 500] },
  saved_snippets: { saved_snippets: [nothing, []] },
  navigation_views: { navigation_views: [nothing, []] },
  channel_folders: { channel_folders: [nothing, []] },
  onboarding_steps: { onboarding_steps: [nothing, []], navigation_tour_video_url: [z.string().nullable(), null] },
  muted_users: { muted_users: [nothing, []] },
  user_status: { user_status: [noKeys, {}] },
  presence: { presences: [noKeys, {}], presence_last_update_id: [z.int(), -1] },
  realm_embedded_bots: { realm_embedded_bots: [nothing, []] },
  realm_incoming_webhook_bots: { realm_incoming_webhook_bots: [nothing, []] },
  realm_emoji: { realm_emoji: [noKeys, {}] },
  realm_linkifiers: { realm_linkifiers: [nothing, []] },
  realm_filters: { realm_filters: [nothing, []] },
  realm_playgrounds: { realm_playgrounds: [nothing, []] },
  realm_domains: { realm_domains: [nothing, []] },
  stop_words: { stop_words: [nothing, []] },
  video_calls: { has_zoom_token: [z.boolean(), false], has_vcall_token: [z.boolean(), false] },
  giphy: { giphy_api_key: [z.string(), ''] },
  device: { devices: [noKeys, {}], push_devices: [noKeys, {}] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly [z.ZodType, unknown]>>>>;

const declared = Object.values(fields).flatMap((byName) => Object.entries(byName));

/** The schemas of {@link emptySnapshot}, and of the time that goes with presence. */
export const emptyShape = {
  ...Object.fromEntries(declared.map(([name, [schema]]) => [name, schema])),
  server_timestamp: z.number(),
};

/** The fields of fetch types that have nothing to tell. */
export function emptySnapshot({ wants }: SnapshotContext): object {
  const wanted = Object.entries(fields).filter(([type]) => wants(type));
  const values = wanted.flatMap(([, byName]) => Object.entries(byName).map(([name, [, value]]) => [name, value]));
  return {
    ...Object.fromEntries(values),
    ...(wants('presence') && { server_timestamp: Date.now() / 1000 }),
  };
}
