import { getEffectiveDefaultUserSettings, getEffectiveUserSettings } from '../../../core/users/index.js';

/** Numbers that the reference server (Zulip) stores for the values of `resolved_topic_notice_auto_read_policy`. */
const resolvedTopicPolicies = { always: 1, except_followed: 2, never: 3 } as const;

/**
 * Converts the settings of a user, or the default settings of a realm, to the values that the reference server (Zulip)
 * stores.
 */
function toZulipSettingValues<
  S extends { readonly resolved_topic_notice_auto_read_policy: keyof typeof resolvedTopicPolicies },
>(settings: S): object {
  const policy = resolvedTopicPolicies[settings.resolved_topic_notice_auto_read_policy];
  return { ...settings, resolved_topic_notice_auto_read_policy: policy };
}

/** Returns all default settings of a realm's new users, with the values that the reference server (Zulip) stores. */
export function getEffectiveDefaults(stored: object): object {
  const defaults = getEffectiveDefaultUserSettings(stored);
  const visibility = 'email_address_visibility' in stored ? stored.email_address_visibility : 1;
  return {
    ...toZulipSettingValues(defaults),
    twenty_four_hour_time: defaults.twenty_four_hour_time ?? false,
    email_address_visibility: visibility,
  };
}

/**
 * Returns the JSON value for the parameter `$4` of the export statements. It contains default settings, settings of
 * users whose settings are private, and numbers for the values of a setting.
 */
export function createExportSettingsParameter(userSettingsDefaults: object): object {
  const { email_address_visibility: _visibility, ...shown } = getEffectiveDefaults(userSettingsDefaults) as {
    email_address_visibility?: unknown;
  };
  return { initial: getEffectiveUserSettings({}), shown, resolvedTopicPolicies };
}
