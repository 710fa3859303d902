/**
 * Returns the SQL condition over `channels c` that a user can see a channel without being able to read its messages
 * (docs/contract/chat.md 5.3). Administrators meet the condition, and so do users who may administer the channel,
 * subscribe to it, or subscribe others. Guests do not meet the condition.
 */
export function isChannelVisibleSql(parameters: {
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
 * left-joined active `subscriptions s` of the user. All statements that read messages or channels use this condition,
 * so that their results are consistent. Public channels are readable by all users except guests, and web-public
 * channels by all users. Private channels are readable by their subscribers and, with shared history, by users who may
 * subscribe themselves or others.
 *
 * @param parameters `maySubscribe`: SQL condition that the user has that permission. A statement about many users reads
 * the permission once for all users, see {@link usersWhoMaySubscribeSql}. By default, the condition reads the groups of
 * each user.
 */
export function isChannelReadableSql(parameters: {
  readonly actor: string;
  readonly isGuest: string;
  readonly maySubscribe?: string;
}): string {
  const { actor, isGuest } = parameters;
  const {
    maySubscribe = `ARRAY[c.can_add_subscribers_group_id, c.can_subscribe_group_id] && (SELECT user_group_ids(${actor}))`,
  } = parameters;
  return `(c.is_web_public OR s.user_id IS NOT NULL OR (NOT ${isGuest} AND (NOT c.is_private OR (
    c.history_public_to_subscribers AND ${maySubscribe}))))`;
}

/**
 * Returns common table expressions for `WITH RECURSIVE` in SQL. They select the users who may subscribe themselves or
 * others to a private channel with shared history. The common table expressions define the table `subscribing` with the
 * column `user_id`. The table is empty for other channels, because the permission does not affect their readers.
 */
export const usersWhoMaySubscribeSql = (channelId: string): string => `
  subscribing_group(id) AS (
    SELECT unnest(ARRAY[can_add_subscribers_group_id, can_subscribe_group_id]) FROM channels
    WHERE id = ${channelId} AND is_private AND history_public_to_subscribers
    UNION
    SELECT sg.subgroup_id FROM subscribing_group g JOIN user_group_subgroups sg ON sg.group_id = g.id
  ), subscribing AS MATERIALIZED (
    SELECT DISTINCT gm.user_id FROM subscribing_group g JOIN user_group_members gm ON gm.group_id = g.id
  )`;
