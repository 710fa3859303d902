import type { ArchiveRow } from './archive/archive-row.js';
import type { ImportedClientIds } from './import-clients.js';
import type { ArchivedConversations } from './archived-conversations.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import { insertRows } from './insert-rows.js';

const scheduledMessageColumns = {
  id: 'int',
  user_id: 'int',
  type: 'text',
  to_ids: 'int[]',
  topic: 'text',
  content: 'text',
  rendered_content: 'text',
  client: 'text',
  read_by_sender: 'boolean',
  deliver_at: 'timestamptz',
  attempt_at: 'timestamptz',
  failure: 'text',
  reminder_message_id: 'bigint',
  reminder_note: 'text',
};

/** Results of earlier import steps that the import of scheduled messages needs. */
interface ScheduledMessageImportDependencies {
  readonly users: ImportedUsers;
  readonly conversations: ArchivedConversations;
  readonly clients: ImportedClientIds;
  /** Renders the content of a message that the given user sends, and returns the HTML. */
  readonly render: (userId: number, content: string) => string;
}

/** Inserts scheduled messages and reminders that were not sent yet. */
export async function importScheduledMessages(
  context: ImportContext,
  parts: ScheduledMessageImportDependencies,
): Promise<void> {
  const { tx, archive, report } = context;
  for await (const rows of archive.tables.readBatches('zerver_scheduledmessage')) {
    const waiting = rows.filter((row) => !row.boolean('delivered'));
    const converted = waiting.map((row) => convertScheduledMessage(row, parts)).filter((row) => row !== null);
    await insertRows(tx, 'scheduled_messages', scheduledMessageColumns, converted);
    report.addImported('scheduled messages and reminders', converted.length);
    report.addSkipped('scheduled messages to unknown recipients', waiting.length - converted.length);
  }
}

function convertScheduledMessage(
  row: ArchiveRow,
  { users, conversations, clients, render }: ScheduledMessageImportDependencies,
) {
  const userId = row.id('sender');
  const conversation = conversations.find(row.id('recipient'), userId);
  if (!users.has(userId) || conversation === null) return null;
  const isReminder = row.has('reminder_target_message_id');
  const content = row.text('content');
  const deliverAt = row.time('scheduled_timestamp');
  const failure = row.boolean('failed') ? (row.optionalText('failure_message') ?? 'unknown') : null;
  return {
    id: row.id(),
    user_id: userId,
    ...getStoredRecipients(conversation, userId, isReminder),
    topic: 'channelId' in conversation ? row.text('subject') : '',
    content,
    rendered_content: render(userId, content),
    client: clients.getClientName(row.optionalInteger('sending_client')),
    read_by_sender: row.boolean('read_by_sender'),
    deliver_at: deliverAt,
    attempt_at: failure === null ? deliverAt : null,
    failure,
    reminder_message_id: isReminder ? row.messageId('reminder_target_message_id') : null,
    reminder_note: isReminder ? row.optionalText('reminder_note') : null,
  };
}

/**
 * Returns the user ids of a direct message's recipients in the stored form. The form excludes the author, unless the
 * author is the only recipient.
 */
function getStoredRecipients(
  conversation: NonNullable<ReturnType<ArchivedConversations['find']>>,
  userId: number,
  isReminder: boolean,
): { readonly type: string; readonly to_ids: readonly number[] } {
  if (isReminder) return { type: 'reminder', to_ids: [userId] };
  if ('channelId' in conversation) return { type: 'stream', to_ids: [conversation.channelId] };
  const others = conversation.participants.filter((id) => id !== userId);
  return { type: 'private', to_ids: others.length === 0 ? [userId] : others };
}
