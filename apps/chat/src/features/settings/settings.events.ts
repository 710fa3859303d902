import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

const settingValueSchema = z.union([z.boolean(), z.int(), z.string()]);

/** Event sent when a setting of the user changed (docs/contract/chat.md 3.4). */
export const userSettingsEvent = defineEventType({
  name: 'user_settings/update',
  audience: 'Only the user who has the setting.',
  payload: z.strictObject({ property: z.string(), value: settingValueSchema, languageName: z.string().optional() }),
}).addVariant({
  type: 'user_settings',
  op: 'update',
  fields: {
    property: z.string(),
    value: settingValueSchema,
    language_name: z.string().optional().meta({ description: 'With default_language: its name in itself' }),
  },
  render: ({ languageName, ...change }) => ({
    ...change,
    ...(languageName !== undefined && { language_name: languageName }),
  }),
});

/** Event sent when a default setting for new users changed. */
export const defaultUserSettingsEvent = defineEventType({
  name: 'realm_user_settings_defaults/update',
  audience: 'All users of the realm.',
  payload: z.strictObject({ property: z.string(), value: settingValueSchema.nullable() }),
}).addVariant({
  type: 'realm_user_settings_defaults',
  op: 'update',
  fields: { property: z.string(), value: settingValueSchema.nullable() },
  render: (change) => change,
});

/** List of all event types that concern changed user settings and defaults. */
export const settingsEvents = [userSettingsEvent, defaultUserSettingsEvent];
