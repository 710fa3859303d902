/**
 * Zulip version and feature level that the server reports (docs/contract/chat.md 0.1). Clients choose their API calls
 * by these values.
 */
export const announcedServerVersion = {
  zulip_version: '12.0',
  zulip_merge_base: '12.0',
  zulip_feature_level: 486,
} as const;
