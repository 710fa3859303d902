import type { ArchivedConversations } from './archived-conversations.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';

const subscriptionColumns = {
  user_id: 'int',
  channel_id: 'int',
  is_active: 'boolean',
  color: 'text',
  is_muted: 'boolean',
  pin_to_top: 'boolean',
  desktop_notifications: 'boolean',
  audible_notifications: 'boolean',
  push_notifications: 'boolean',
  email_notifications: 'boolean',
  wildcard_mentions_notify: 'boolean',
};

const defaultSubscriptionColor = '#c2c2c2';

/**
 * Inserts the subscriptions to channels. The table's triggers count subscribers and record at which message a
 * subscription began, so the messages must be inserted first.
 */
export async function importSubscriptions(
  { tx, archive, report }: ImportContext,
  users: ImportedUsers,
  conversations: ArchivedConversations,
): Promise<void> {
  for await (const rows of archive.tables.readBatches('zerver_subscription')) {
    const subscriptions = rows.flatMap((row) => {
      const [userId, channelId] = [
        row.id('user_profile'),
        conversations.findChannelOfConversation(row.id('recipient')),
      ];
      if (channelId === null || !users.has(userId)) return [];
      const color = row.optionalText('color') ?? '';
      return {
        user_id: userId,
        channel_id: channelId,
        is_active: row.optionalBoolean('active') ?? true,
        color: /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : defaultSubscriptionColor,
        is_muted: row.boolean('is_muted'),
        pin_to_top: row.boolean('pin_to_top'),
        desktop_notifications: row.optionalBoolean('desktop_notifications'),
        audible_notifications: row.optionalBoolean('audible_notifications'),
        push_notifications: row.optionalBoolean('push_notifications'),
        email_notifications: row.optionalBoolean('email_notifications'),
        wildcard_mentions_notify: row.optionalBoolean('wildcard_mentions_notify'),
      };
    });
    const options = { skipsDuplicates: true };
    const inserted = await insertRows(tx, 'subscriptions', subscriptionColumns, subscriptions, options);
    report.addImported('subscriptions', inserted);
  }
}
