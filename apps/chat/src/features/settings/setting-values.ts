import { userSettings } from '../../core/users/index.js';

/** Settings by name, with their stored values. */
export type SettingValues = Readonly<Record<string, string | number | boolean>>;

/** Default settings of new users by name. */
export type DefaultValues = Readonly<Record<string, string | number | boolean | null>>;

/** Names of all settings of a user, including those in columns. */
const names: readonly string[] = [...Object.keys(userSettings.shape), 'email_address_visibility', 'timezone'];

/** Returns the sent settings in their stored form. */
export function sentSettings(parameters: Readonly<Record<string, unknown>>): SettingValues {
  const values: Record<string, string | number | boolean> = {};
  for (const name of names) {
    const value = parameters[name];
    if (isValue(value)) values[name] = value;
  }
  return values['web_home_view'] === 'recent_topics' ? { ...values, web_home_view: 'recent' } : values;
}

/**
 * Returns the sent default settings of new users in their stored form. The clock format is null if it depends on the
 * language.
 */
export function sentDefaults(parameters: Readonly<Record<string, unknown>>): DefaultValues {
  const isOpen = parameters['twenty_four_hour_time'] === null;
  return { ...sentSettings(parameters), ...(isOpen && { twenty_four_hour_time: null }) };
}

function isValue(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
