import type { Tx } from '@switchboard/database';

/** Names of user settings that turn on notifications of messages in all channels. */
const allChannelNotificationSettingNames = [
  'enable_stream_desktop_notifications',
  'enable_stream_audible_notifications',
  'enable_stream_push_notifications',
  'enable_stream_email_notifications',
] as const;

/**
 * SQL condition on `users u` that the user wants notifications of all channels, and therefore is never
 * soft-deactivated.
 */
export const wantsAllChannelNotificationsSql = `(${allChannelNotificationSettingNames
  .map((name) => `coalesce((u.settings ->> '${name}')::boolean, false)`)
  .join(' OR ')})`;

/**
 * Ends the soft deactivation of users for whom an administrator enabled notifications of all channels. The service then
 * writes rows of new messages for these users immediately. The caller must have locked the users.
 */
export async function reactivateUsersForChannelNotifications(
  tx: Tx,
  property: string,
  value: unknown,
  userIds: readonly number[],
): Promise<void> {
  if (value !== true || !allChannelNotificationSettingNames.some((name) => name === property)) return;
  await tx.query('UPDATE soft_deactivations SET is_back = true WHERE user_id = ANY($1) AND NOT is_back', [userIds]);
}
