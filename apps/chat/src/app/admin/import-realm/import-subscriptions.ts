import type { ArchivedConversationMap } from './archived-conversations.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';

const importedSubscriptionColumns = {
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
  { tx, archive, report }: RealmImportContext,
  users: ImportedUsers,
  conversations: ArchivedConversationMap,
): Promise<void> {
  for await (const rows of archive.tables.readTableInBatches('zerver_subscription')) {
    const subscriptions = rows.flatMap((row) => {
      const [userId, channelId] = [
        row.readId('user_profile'),
        conversations.findChannelIdOfRecipient(row.readId('recipient')),
      ];
      if (channelId === null || !users.has(userId)) return [];
      const color = row.readOptionalText('color') ?? '';
      return {
        user_id: userId,
        channel_id: channelId,
        is_active: row.readOptionalBoolean('active') ?? true,
        color: /^#[0-9a-f]{6}$/i.test(color) ? color.toLowerCase() : defaultSubscriptionColor,
        is_muted: row.readBoolean('is_muted'),
        pin_to_top: row.readBoolean('pin_to_top'),
        desktop_notifications: row.readOptionalBoolean('desktop_notifications'),
        audible_notifications: row.readOptionalBoolean('audible_notifications'),
        push_notifications: row.readOptionalBoolean('push_notifications'),
        email_notifications: row.readOptionalBoolean('email_notifications'),
        wildcard_mentions_notify: row.readOptionalBoolean('wildcard_mentions_notify'),
      };
    });
    const options = { skipsDuplicates: true };
    const inserted = await insertImportedRows(tx, 'subscriptions', importedSubscriptionColumns, subscriptions, options);
    report.addImportedRowCount('subscriptions', inserted);
  }
}
