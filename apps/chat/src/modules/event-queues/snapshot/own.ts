import { z } from 'zod';
import { emailVisibility } from '../../../access/email-visibility.js';
import { effectiveUserSettings, emojisetChoices, notificationSounds, userSettings } from '../../users/index.js';
import type { SnapshotBasics, SnapshotContext } from './snapshot-context.js';

/** The settings as they are put out: without defaults, for each has a value. */
const settingsShape = Object.fromEntries(
  Object.entries(userSettings.shape).map(([name, schema]) => [name, schema.unwrap()]),
);
const choice = z.strictObject({ key: z.string(), text: z.string() });

/** The fields of fetch types user_settings and realm_user_settings_defaults (chat-contract 2.G and 4.2). */
export const settingsFieldsShape = {
  user_settings: z.strictObject({
    ...settingsShape,
    email_address_visibility: z.int(),
    timezone: z.string(),
    emojiset_choices: z.array(choice),
    available_notification_sounds: z.array(z.string()),
  }),
  realm_user_settings_defaults: z.strictObject({ ...settingsShape, email_address_visibility: z.int() }),
  emojiset_choices: z.array(choice),
  available_notification_sounds: z.array(z.string()),
  timezone: z.string(),
};

/** The user's settings, and what new users begin with. */
export function settingsSnapshot({ wants, namesTypes, actor }: SnapshotContext, basics: SnapshotBasics): object {
  const own = basics.users.find((user) => user.id === actor.id);
  const timezone = own?.timezone ?? '';
  const extras = { emojiset_choices: emojisetChoices, timezone, available_notification_sounds: notificationSounds };
  const wantsOlder = namesTypes && wants('update_display_settings', 'update_global_notifications');
  return {
    ...(wants('user_settings') && {
      user_settings: {
        ...basics.ownSettings,
        email_address_visibility: own?.emailVisibility ?? emailVisibility.everyone,
        ...extras,
      },
    }),
    ...(wants('realm_user_settings_defaults') && {
      realm_user_settings_defaults: {
        ...effectiveUserSettings(basics.realm.userSettingsDefaults),
        email_address_visibility: emailVisibility.everyone,
      },
    }),
    ...(wantsOlder && extras),
  };
}
