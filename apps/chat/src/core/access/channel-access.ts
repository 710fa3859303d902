/**
 * Condition for users who may know that a channel exists, in addition to those who may read it
 * (docs/contract/chat.md 5.3), as SQL over `channels c`: administrators, and users who may administer it or subscribe
 * themselves or others. Guests have none of these rights.
 */
export function channelKnown(parameters: {
  readonly actor: string;
  readonly isGuest: string;
  readonly isAdmin: string;
}): string {
  const { actor, isGuest, isAdmin } = parameters;
  return `(${isAdmin} OR (NOT ${isGuest} AND ARRAY[c.can_administer_channel_group_id, c.can_add_subscribers_group_id,
    c.can_subscribe_group_id] && (SELECT user_group_ids(${actor}))))`;
}

/**
 * Condition for users who may read a channel (docs/contract/chat.md 5.3), as SQL over `channels c` and a left-joined
 * active `subscriptions s` of the reader. One text, used by every statement that reads messages or channels, so that no
 * two of them disagree.
 *
 * Public channels are open to all but guests, web-public ones to all users, private ones to subscribers and, where
 * history is shared, to those who may let themselves or others in.
 */
export function channelReadable(parameters: { readonly actor: string; readonly isGuest: string }): string {
  const { actor, isGuest } = parameters;
  return `(c.is_web_public OR s.user_id IS NOT NULL OR (NOT ${isGuest} AND (NOT c.is_private OR (
    c.history_public_to_subscribers AND ARRAY[c.can_add_subscribers_group_id, c.can_subscribe_group_id]
      && (SELECT user_group_ids(${actor}))))))`;
}
