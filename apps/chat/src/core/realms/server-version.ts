/** Version that the server reports (docs/contract/chat.md 0.1). Clients choose the calls they make by it. */
export const serverVersion = {
  zulip_version: '12.0',
  zulip_merge_base: '12.0',
  zulip_feature_level: 486,
} as const;
