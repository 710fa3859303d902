import { userSettings } from '../../core/users/index.js';

/** User settings by name, with their values as stored. */
export type SettingValues = Readonly<Record<string, string | number | boolean>>;

/** Default settings of new users by name. */
export type DefaultSettingValues = Readonly<Record<string, string | number | boolean | null>>;

/** Names of all settings of a user, including settings with a separate column. */
const userSettingNames: readonly string[] = [
  ...Object.keys(userSettings.shape),
  'email_address_visibility',
  'timezone',
];

/** Returns the user settings that a request contains, as stored. */
export function getRequestedSettings(parameters: Readonly<Record<string, unknown>>): SettingValues {
  const values: Record<string, string | number | boolean> = {};
  for (const name of userSettingNames) {
    const value = parameters[name];
    if (isSettingValue(value)) values[name] = value;
  }
  return values['web_home_view'] === 'recent_topics' ? { ...values, web_home_view: 'recent' } : values;
}

/**
 * Returns the default settings of new users that a request contains, as stored. The clock format is null if it depends
 * on the language.
 */
export function getRequestedDefaultSettings(parameters: Readonly<Record<string, unknown>>): DefaultSettingValues {
  const isOpen = parameters['twenty_four_hour_time'] === null;
  return { ...getRequestedSettings(parameters), ...(isOpen && { twenty_four_hour_time: null }) };
}

function isSettingValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
