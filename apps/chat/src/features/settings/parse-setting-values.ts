import { userSettingsSchema } from '../../core/users/index.js';

/** Map from the names of user settings to the stored values. */
export type StoredUserSettingValues = Readonly<Record<string, string | number | boolean>>;

/** Map from the names of settings to the default values for new users. */
export type NewUserDefaultSettingValues = Readonly<Record<string, string | number | boolean | null>>;

/** Names of all user settings, including settings that are stored in a separate database column. */
const userSettingNames: readonly string[] = [
  ...Object.keys(userSettingsSchema.shape),
  'email_address_visibility',
  'timezone',
];

/** Returns the user settings that a request contains, converted to the stored values. */
export function getRequestedSettings(parameters: Readonly<Record<string, unknown>>): StoredUserSettingValues {
  const values: Record<string, string | number | boolean> = {};
  for (const name of userSettingNames) {
    const value = parameters[name];
    if (isSettingValue(value)) values[name] = value;
  }
  return values['web_home_view'] === 'recent_topics' ? { ...values, web_home_view: 'recent' } : values;
}

/**
 * Returns the default settings for new users that a request contains, converted to the stored values. The setting for
 * the 24-hour clock is null if the clock format depends on the user's language.
 */
export function getRequestedDefaultSettings(
  parameters: Readonly<Record<string, unknown>>,
): NewUserDefaultSettingValues {
  const isOpen = parameters['twenty_four_hour_time'] === null;
  return { ...getRequestedSettings(parameters), ...(isOpen && { twenty_four_hour_time: null }) };
}

function isSettingValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
