import { z } from 'zod';
import { emailVisibilityValues } from '../access/email-visibility.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import { snapshotRealm } from '../realms/index.js';
import { ownUserSnapshotValue } from './own-user-in-snapshot.js';
import {
  getEffectiveDefaultSettings,
  getEffectiveUserSettings,
  emojisetChoices,
  notificationSounds,
  type UserSettings,
  userSettings,
} from './user-settings.js';

/** Schemas of user settings in a response. The schemas have no defaults, because responses contain every setting. */
const userSettingsShape = Object.fromEntries(
  Object.entries(userSettings.shape).map(([name, schema]) => [name, schema.unwrap()]),
);
const createChoiceSchema = z.strictObject({ key: z.string(), text: z.string() });

/** Schemas of the lists of values that clients offer for some user settings. */
const settingChoicesShape = {
  emojiset_choices: z.array(createChoiceSchema),
  available_notification_sounds: z.array(z.string()),
};
const settingChoices = { emojiset_choices: emojisetChoices, available_notification_sounds: notificationSounds };

const extraSettingsShape = { timezone: z.string(), ...settingChoicesShape };

/** Returns the registering user's settings. Reads the settings only once per POST /register request. */
export function snapshotOwnSettings(context: SnapshotContext): Promise<UserSettings> {
  return context.shared(readOwnSettings);
}

async function readOwnSettings({ tx, actor }: SnapshotContext): Promise<UserSettings> {
  const { rows } = await tx.query<{ settings: object }>('SELECT settings FROM users WHERE id = $1', [actor.id]);
  return getEffectiveUserSettings(rows[0]?.settings ?? {});
}

/** Part of the POST /register response withthe user's settings (docs/contract/chat.md 2.G). */
export const userSettingsSnapshotPart = defineSnapshotPart({
  types: ['user_settings'],
  shape: {
    user_settings: z.strictObject({ ...userSettingsShape, email_address_visibility: z.int(), ...extraSettingsShape }),
  },
  async read(context) {
    const own = await ownUserSnapshotValue(context);
    return {
      user_settings: {
        ...(await snapshotOwnSettings(context)),
        email_address_visibility: own?.emailVisibility ?? emailVisibilityValues.everyone,
        ...olderSettingFieldNames(own?.timezone),
      },
    };
  },
});

/** Part of the POST /register response withthe default settings of new users. */
export const realmDefaultsSnapshotPart = defineSnapshotPart({
  types: ['realm_user_settings_defaults'],
  shape: {
    realm_user_settings_defaults: z.strictObject({
      ...userSettingsShape,
      twenty_four_hour_time: z.boolean().nullable().meta({ description: "Null for the format of the user's language" }),
      email_address_visibility: z.int(),
      ...settingChoicesShape,
    }),
  },
  async read(context) {
    const { userSettingsDefaults } = await snapshotRealm(context);
    return {
      realm_user_settings_defaults: {
        ...getEffectiveDefaultSettings(userSettingsDefaults),
        email_address_visibility: initialEmailVisibility.parse(userSettingsDefaults).email_address_visibility,
        ...settingChoices,
      },
    };
  },
});

/**
 * Schema of the default value of the setting `email_address_visibility` for new users. A separate database column
 * stores this default.
 */
const initialEmailVisibility = z.object({ email_address_visibility: z.int().default(emailVisibilityValues.everyone) });

/**
 * Part of the POST /register response with the user's time zone and the lists of setting values. Included for clients
 * that request the older fetch types (docs/contract/chat.md 4.2).
 */
export const olderSettingsSnapshotPart = defineSnapshotPart({
  types: ['update_display_settings', 'update_global_notifications'],
  when: ({ namesTypes }) => namesTypes,
  shape: extraSettingsShape,
  read: async (context) => olderSettingFieldNames((await ownUserSnapshotValue(context))?.timezone),
});

function olderSettingFieldNames(timezone = '') {
  return { timezone, ...settingChoices };
}
