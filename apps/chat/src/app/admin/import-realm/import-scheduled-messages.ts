import type { ArchivedTableRow } from './archive/archive-row.js';
import type { ImportedClientPrograms } from './import-clients.js';
import type { ArchivedConversationMap } from './archived-conversations.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import { insertImportedRows } from './insert-rows.js';

const importedScheduledMessageColumns = {
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
  readonly conversations: ArchivedConversationMap;
  readonly clients: ImportedClientPrograms;
  /** Renders the content of a message that the given user sends, and returns the HTML. */
  readonly render: (userId: number, content: string) => string;
}

/** Inserts scheduled messages and reminders that were not sent yet. */
export async function importScheduledMessages(
  context: RealmImportContext,
  parts: ScheduledMessageImportDependencies,
): Promise<void> {
  const { tx, archive, report } = context;
  for await (const rows of archive.tables.readTableInBatches('zerver_scheduledmessage')) {
    const waiting = rows.filter((row) => !row.readBoolean('delivered'));
    const converted = waiting.map((row) => convertArchivedScheduledMessage(row, parts)).filter((row) => row !== null);
    await insertImportedRows(tx, 'scheduled_messages', importedScheduledMessageColumns, converted);
    report.addImportedRowCount('scheduled messages and reminders', converted.length);
    report.addSkippedRowCount('scheduled messages to unknown recipients', waiting.length - converted.length);
  }
}

function convertArchivedScheduledMessage(
  row: ArchivedTableRow,
  { users, conversations, clients, render }: ScheduledMessageImportDependencies,
) {
  const userId = row.readId('sender');
  const conversation = conversations.find(row.readId('recipient'), userId);
  if (!users.has(userId) || conversation === null) return null;
  const isReminder = row.hasColumnValue('reminder_target_message_id');
  const content = row.readText('content');
  const deliverAt = row.readTime('scheduled_timestamp');
  const failure = row.readBoolean('failed') ? (row.readOptionalText('failure_message') ?? 'unknown') : null;
  return {
    id: row.readId(),
    user_id: userId,
    ...getStoredDirectMessageRecipients(conversation, userId, isReminder),
    topic: 'channelId' in conversation ? row.readText('subject') : '',
    content,
    rendered_content: render(userId, content),
    client: clients.getClientName(row.readOptionalInteger('sending_client')),
    read_by_sender: row.readBoolean('read_by_sender'),
    deliver_at: deliverAt,
    attempt_at: failure === null ? deliverAt : null,
    failure,
    reminder_message_id: isReminder ? row.readMessageId('reminder_target_message_id') : null,
    reminder_note: isReminder ? row.readOptionalText('reminder_note') : null,
  };
}

/**
 * Returns the user ids of a direct message's recipients in the stored form. The form excludes the author, unless the
 * author is the only recipient.
 */
function getStoredDirectMessageRecipients(
  conversation: NonNullable<ReturnType<ArchivedConversationMap['find']>>,
  userId: number,
  isReminder: boolean,
): { readonly type: string; readonly to_ids: readonly number[] } {
  if (isReminder) return { type: 'reminder', to_ids: [userId] };
  if ('channelId' in conversation) return { type: 'stream', to_ids: [conversation.channelId] };
  const others = conversation.participants.filter((id) => id !== userId);
  return { type: 'private', to_ids: others.length === 0 ? [userId] : others };
}
