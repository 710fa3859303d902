import type { ArchivedTableRow } from './archive/archive-row.js';
import type { RealmImportContext, ImportedChannels, ImportedUsers } from './import-context.js';

/** Maps values of `event_type` in the archive's audit log to the beginning or end of a subscription. */
const subscriptionChangeByEventType: ReadonlyMap<number, 'began' | 'ended'> = new Map([
  [301, 'began'],
  [302, 'began'],
  [303, 'ended'],
]);

/**
 * Marks users as away if the archive contains no message rows for the users since their last visit (docs/adr/0024).
 * Reads the times at which the users' subscriptions began and ended from the archive's audit log. Requires that the
 * subscriptions have been inserted.
 */
export async function markIdleImportedUsersAway(
  { tx, realmId, archive: { tables }, report }: RealmImportContext,
  users: ImportedUsers,
  channels: ImportedChannels,
): Promise<void> {
  const idle = new Map<number, number>();
  for await (const rows of tables.readTableInBatches('zerver_userprofile')) {
    for (const row of rows) {
      if (!row.readBoolean('long_term_idle') || row.readBoolean('is_bot') || users.get(row.readId())?.isActive !== true)
        continue;
      idle.set(
        row.readId(),
        row.hasColumnValue('last_active_message_id') ? row.readMessageId('last_active_message_id') : 0,
      );
    }
  }
  if (idle.size === 0) return;
  for await (const rows of tables.readTableInBatches('zerver_realmauditlog')) {
    const changes = rows.flatMap((row) => toArchivedSubscriptionChange(row, idle, channels));
    await tx.query(
      `INSERT INTO subscription_changes (user_id, recipient_id, message_id, kind, changed_at)
       SELECT sent.user_id, r.id, sent.message_id, sent.kind, sent.changed_at
       FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bigint[], $5::text[], $6::timestamptz[])
         AS sent(id, user_id, channel_id, message_id, kind, changed_at)
       JOIN recipients r ON r.channel_id = sent.channel_id ORDER BY sent.id`,
      [
        changes.map(({ id }) => id),
        changes.map(({ userId }) => userId),
        changes.map(({ channelId }) => channelId),
        changes.map(({ messageId }) => messageId),
        changes.map(({ kind }) => kind),
        changes.map(({ at }) => at),
      ],
    );
  }
  await tx.query(
    `INSERT INTO soft_deactivations (user_id, realm_id, after_message_id)
     SELECT sent.user_id, $1, sent.message_id FROM unnest($2::int[], $3::bigint[]) AS sent(user_id, message_id)`,
    [realmId, [...idle.keys()], [...idle.values()]],
  );
  report.addImportedRowCount('users who were away for long', idle.size);
}

function toArchivedSubscriptionChange(
  row: ArchivedTableRow,
  idle: ReadonlyMap<number, number>,
  channels: ImportedChannels,
) {
  const kind = subscriptionChangeByEventType.get(row.readInteger('event_type'));
  const [userId, channelId] = [row.readOptionalId('modified_user'), row.readOptionalId('modified_stream')];
  if (kind === undefined || userId === null || channelId === null) return [];
  if (!idle.has(userId) || !channels.has(channelId)) return [];
  const last = row.getUncheckedColumnValue('event_last_message_id');
  const messageId = typeof last === 'number' && last > 0 ? row.readMessageId('event_last_message_id') + 1 : 1;
  return [{ id: row.readMessageId(), userId, channelId, kind, messageId, at: row.readTime('event_time') }];
}
