/**
 * Returns the SQL condition over `channels c` that a user can see a channel without being able to read it
 * (docs/contract/chat.md 5.3): administrators, and users who may administer it, subscribe to it or subscribe others.
 * Guests have none of these rights.
 */
export function channelVisibleSql(parameters: {
  readonly actor: string;
  readonly isGuest: string;
  readonly isAdmin: string;
}): string {
  const { actor, isGuest, isAdmin } = parameters;
  return `(${isAdmin} OR (NOT ${isGuest} AND ARRAY[c.can_administer_channel_group_id, c.can_add_subscribers_group_id,
    c.can_subscribe_group_id] && (SELECT user_group_ids(${actor}))))`;
}

/**
 * Returns the SQL condition that a user can read a channel (docs/contract/chat.md 5.3), over `channels c` and a
 * left-joined active `subscriptions s` of the user. All statements that read messages or channels use it, so that they
 * agree. Public channels can be read by all but guests, web-public ones by all users, private ones by subscribers and,
 * with shared history, by users who may subscribe themselves or others.
 */
export function channelReadableSql(parameters: { readonly actor: string; readonly isGuest: string }): string {
  const { actor, isGuest } = parameters;
  return `(c.is_web_public OR s.user_id IS NOT NULL OR (NOT ${isGuest} AND (NOT c.is_private OR (
    c.history_public_to_subscribers AND ARRAY[c.can_add_subscribers_group_id, c.can_subscribe_group_id]
      && (SELECT user_group_ids(${actor}))))))`;
}
