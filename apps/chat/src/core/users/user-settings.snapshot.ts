import { z } from 'zod';
import { emailVisibilityValues } from '../access/email-visibility.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import { getSnapshotRealm } from '../realms/index.js';
import { getSnapshotOwnUser } from './own-user-in-snapshot.js';
import {
  getEffectiveDefaultUserSettings,
  getEffectiveUserSettings,
  emojisetChoices,
  notificationSounds,
  type UserSettings,
  userSettingsSchema,
} from './user-settings.js';

/** Schemas of user settings in a response. The schemas have no defaults, because responses contain every setting. */
const userSettingSchemasWithoutDefaults = Object.fromEntries(
  Object.entries(userSettingsSchema.shape).map(([name, schema]) => [name, schema.unwrap()]),
);
const settingChoiceSchema = z.strictObject({ key: z.string(), text: z.string() });

/** Schemas of the lists of values that clients offer for some user settings. */
const userSettingChoicesSchemas = {
  emojiset_choices: z.array(settingChoiceSchema),
  available_notification_sounds: z.array(z.string()),
};
const userSettingChoices = { emojiset_choices: emojisetChoices, available_notification_sounds: notificationSounds };

const timezoneAndSettingChoicesSchemas = { timezone: z.string(), ...userSettingChoicesSchemas };

/** Returns the registering user's settings. Reads the settings only once per POST /register request. */
export function getSnapshotOwnSettings(context: SnapshotContext): Promise<UserSettings> {
  return context.shared(readOwnSettingsForSnapshot);
}

async function readOwnSettingsForSnapshot({ tx, actor }: SnapshotContext): Promise<UserSettings> {
  const { rows } = await tx.query<{ settings: object }>('SELECT settings FROM users WHERE id = $1', [actor.id]);
  return getEffectiveUserSettings(rows[0]?.settings ?? {});
}

/** Part of the POST /register response with the user's settings (docs/contract/chat.md 2.G). */
export const userSettingsSnapshotPart = defineSnapshotPart({
  types: ['user_settings'],
  shape: {
    user_settings: z.strictObject({
      ...userSettingSchemasWithoutDefaults,
      email_address_visibility: z.int(),
      ...timezoneAndSettingChoicesSchemas,
    }),
  },
  async read(context) {
    const own = await getSnapshotOwnUser(context);
    return {
      user_settings: {
        ...(await getSnapshotOwnSettings(context)),
        email_address_visibility: own?.emailVisibility ?? emailVisibilityValues.everyone,
        ...createOlderUserSettingFields(own?.timezone),
      },
    };
  },
});

/** Part of the POST /register response with the default settings of new users. */
export const defaultUserSettingsSnapshotPart = defineSnapshotPart({
  types: ['realm_user_settings_defaults'],
  shape: {
    realm_user_settings_defaults: z.strictObject({
      ...userSettingSchemasWithoutDefaults,
      twenty_four_hour_time: z.boolean().nullable().meta({ description: "Null for the format of the user's language" }),
      email_address_visibility: z.int(),
      ...userSettingChoicesSchemas,
    }),
  },
  async read(context) {
    const { userSettingsDefaults } = await getSnapshotRealm(context);
    return {
      realm_user_settings_defaults: {
        ...getEffectiveDefaultUserSettings(userSettingsDefaults),
        email_address_visibility: defaultEmailVisibilitySchema.parse(userSettingsDefaults).email_address_visibility,
        ...userSettingChoices,
      },
    };
  },
});

/**
 * Schema of the default value of the setting `email_address_visibility` for new users. A separate database column
 * stores this default.
 */
const defaultEmailVisibilitySchema = z.object({
  email_address_visibility: z.int().default(emailVisibilityValues.everyone),
});

/**
 * Part of the POST /register response with the user's time zone and the lists of setting values. Included for clients
 * that request the older fetch types (docs/contract/chat.md 4.2).
 */
export const olderUserSettingsSnapshotPart = defineSnapshotPart({
  types: ['update_display_settings', 'update_global_notifications'],
  when: ({ namesTypes }) => namesTypes,
  shape: timezoneAndSettingChoicesSchemas,
  read: async (context) => createOlderUserSettingFields((await getSnapshotOwnUser(context))?.timezone),
});

function createOlderUserSettingFields(timezone = '') {
  return { timezone, ...userSettingChoices };
}
