import { z } from 'zod';
import { emailVisibility } from '../access/email-visibility.js';
import type { SnapshotContext } from '../../events/snapshot-context.js';
import { defineSnapshotPart } from '../../events/define-snapshot-part.js';
import { snapshotRealm } from '../realms/index.js';
import { snapshotOwnUser } from './own-user-in-snapshot.js';
import {
  effectiveDefaults,
  effectiveUserSettings,
  emojisetChoices,
  notificationSounds,
  type UserSettings,
  userSettings,
} from './user-settings.js';

/** Schemas of user settings in a response. They have no defaults, because responses contain every setting. */
const userSettingsShape = Object.fromEntries(
  Object.entries(userSettings.shape).map(([name, schema]) => [name, schema.unwrap()]),
);
const choiceSchema = z.strictObject({ key: z.string(), text: z.string() });

/** Schemas of the lists of values that clients offer for some user settings. */
const choicesShape = {
  emojiset_choices: z.array(choiceSchema),
  available_notification_sounds: z.array(z.string()),
};
const settingChoices = { emojiset_choices: emojisetChoices, available_notification_sounds: notificationSounds };

const extraShape = { timezone: z.string(), ...choicesShape };

/** Returns the registering user's settings, read once per registration. */
export function snapshotOwnSettings(context: SnapshotContext): Promise<UserSettings> {
  return context.shared(readOwnSettings);
}

async function readOwnSettings({ tx, actor }: SnapshotContext): Promise<UserSettings> {
  const { rows } = await tx.query<{ settings: object }>('SELECT settings FROM users WHERE id = $1', [actor.id]);
  return effectiveUserSettings(rows[0]?.settings ?? {});
}

/** Snapshot part of the user's settings (docs/contract/chat.md 2.G). */
export const userSettingsPart = defineSnapshotPart({
  types: ['user_settings'],
  shape: { user_settings: z.strictObject({ ...userSettingsShape, email_address_visibility: z.int(), ...extraShape }) },
  async read(context) {
    const own = await snapshotOwnUser(context);
    return {
      user_settings: {
        ...(await snapshotOwnSettings(context)),
        email_address_visibility: own?.emailVisibility ?? emailVisibility.everyone,
        ...olderSettingFields(own?.timezone),
      },
    };
  },
});

/** Snapshot part of the default settings of new users. */
export const realmDefaultsPart = defineSnapshotPart({
  types: ['realm_user_settings_defaults'],
  shape: {
    realm_user_settings_defaults: z.strictObject({
      ...userSettingsShape,
      twenty_four_hour_time: z.boolean().nullable().meta({ description: "Null for the format of the user's language" }),
      email_address_visibility: z.int(),
      ...choicesShape,
    }),
  },
  async read(context) {
    const { userSettingsDefaults } = await snapshotRealm(context);
    return {
      realm_user_settings_defaults: {
        ...effectiveDefaults(userSettingsDefaults),
        email_address_visibility: initialVisibility.parse(userSettingsDefaults).email_address_visibility,
        ...settingChoices,
      },
    };
  },
});

/** Schema of the default for `email_address_visibility`, which is stored in a separate column. */
const initialVisibility = z.object({ email_address_visibility: z.int().default(emailVisibility.everyone) });

/**
 * Snapshot part of the time zone and of the lists of values for settings, for clients that request the older fetch
 * types (docs/contract/chat.md 4.2).
 */
export const olderSettingsPart = defineSnapshotPart({
  types: ['update_display_settings', 'update_global_notifications'],
  when: ({ namesTypes }) => namesTypes,
  shape: extraShape,
  read: async (context) => olderSettingFields((await snapshotOwnUser(context))?.timezone),
});

function olderSettingFields(timezone = '') {
  return { timezone, ...settingChoices };
}
