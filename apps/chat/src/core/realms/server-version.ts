/**
 * Version that the server reports to be compatible with (docs/contract/chat.md 0.1): clients decide by it which calls
 * they may make.
 */
export const serverVersion = {
  zulip_version: '12.0',
  zulip_merge_base: '12.0',
  zulip_feature_level: 486,
} as const;
