import { isMeMessage, toUploadedMedia, decodeUploadPathId } from '../../../core/messages/index.js';
import {
  emptyResolvedMessageReferences,
  type RealmMarkdownRenderingSettings,
  type RenderedMessage,
  rendererVersion,
  type UploadedMedia,
} from '../../../infra/markdown/index.js';
import { convertArchivedEditHistory } from './archived-edit-history.js';
import { type MentionableObjectsByName, resolveNamesInArchivedMessage } from './archived-names.js';
import { findArchiveFile } from './archive/archive-path.js';
import { ArchivedTableRow } from './archive/archive-row.js';
import { readJsonArrayElements } from './archive/json-elements.js';
import type { ImportedClientPrograms } from './import-clients.js';
import type { ArchivedConversation, ArchivedConversationMap } from './archived-conversations.js';
import type { RealmImportContext, ImportedUsers } from './import-context.js';
import type { ImportedUploadedFilesByPath } from './import-uploads.js';
import { importMessageRecipientRows } from './import-user-messages.js';
import { insertImportedRows } from './insert-rows.js';
import { ImportedTopicRows } from './topic-rows.js';

/** Results of earlier import steps that the import of messages needs. */
export interface MessageImportDependencies {
  readonly users: ImportedUsers;
  readonly conversations: ArchivedConversationMap;
  readonly clients: ImportedClientPrograms;
  readonly files: ImportedUploadedFilesByPath;
  readonly named: MentionableObjectsByName;
  /** Linkifiers, emoji and other settings of the organization that the rendering of messages uses. */
  readonly content: RealmMarkdownRenderingSettings;
}

const importedMessageColumns = {
  id: 'bigint',
  realm_id: 'int',
  sender_id: 'int',
  recipient_id: 'int',
  client_id: 'int',
  topic_id: 'bigint',
  topic: 'text',
  topic_since: 'bigint',
  is_me_message: 'boolean',
  has_link: 'boolean',
  has_attachment: 'boolean',
  has_image: 'boolean',
  date_sent: 'timestamptz',
  last_edit_at: 'timestamptz',
  last_moved_at: 'timestamptz',
  edit_history: 'jsonb',
};

const importedMessageTextColumns = {
  message_id: 'bigint',
  content: 'text',
  rendered_content: 'text',
  rendered_version: 'int',
};
const importedMessagesPerBatch = 1_000;

/** Inserts the messages of all message files in the archive, with their topics, edit histories and recipient rows. */
export async function importMessages(context: RealmImportContext, parts: MessageImportDependencies): Promise<void> {
  for (let number = 1; ; number += 1) {
    const name = `messages-${String(number).padStart(6, '0')}.json`;
    const file = await findArchiveFile(context.archive.folder, name);
    if (file === null) return;
    for await (const rows of readArchivedMessageRows(file, 'zerver_message'))
      await importMessageBatch(context, parts, rows);
    for await (const rows of readArchivedMessageRows(file, 'zerver_usermessage'))
      await importMessageRecipientRows(context, parts.users, rows);
  }
}

async function* readArchivedMessageRows(file: string, table: string): AsyncGenerator<ArchivedTableRow[]> {
  let batch: ArchivedTableRow[] = [];
  for await (const elements of readJsonArrayElements(file)) {
    for (const { key, text } of elements) {
      if (key !== table) continue;
      batch.push(ArchivedTableRow.parse(table, text));
      if (batch.length < importedMessagesPerBatch) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

interface ArchivedMessageWithConversation {
  readonly row: ArchivedTableRow;
  readonly senderId: number;
  readonly conversation: ArchivedConversation;
}

async function importMessageBatch(
  context: RealmImportContext,
  parts: MessageImportDependencies,
  rows: readonly ArchivedTableRow[],
): Promise<void> {
  const { tx, report } = context;
  const messages = rows.flatMap((row): ArchivedMessageWithConversation[] => {
    const senderId = row.readId('sender');
    const conversation = parts.conversations.find(row.readId('recipient'), senderId);
    if (conversation === null || !parts.users.has(senderId)) return [];
    return [{ row, senderId, conversation }];
  });
  report.addSkippedRowCount('messages of unknown users or conversations', rows.length - messages.length);
  await parts.conversations.addMissingRecipientRows(
    tx,
    messages.map(({ conversation }) => conversation),
  );
  const topics = await ImportedTopicRows.addMissingTopicRows(
    tx,
    messages.flatMap((message) => collectTopicsOfMessages(parts, message)),
  );
  const converted = messages.map((message) => convertArchivedMessage(context, parts, topics, message));
  await insertImportedRows(
    tx,
    'messages',
    importedMessageColumns,
    converted.map(({ columns }) => columns),
  );
  await insertImportedRows(
    tx,
    'message_texts',
    importedMessageTextColumns,
    converted.map(({ text }) => text),
  );
  report.addImportedRowCount('messages', messages.length);
}

function collectTopicsOfMessages(
  { conversations }: MessageImportDependencies,
  { row, conversation }: ArchivedMessageWithConversation,
) {
  if (!('channelId' in conversation)) return [];
  return [{ recipientId: conversations.getRecipientId(conversation), topic: row.readText('subject') }];
}

function convertArchivedMessage(
  context: RealmImportContext,
  parts: MessageImportDependencies,
  topics: ImportedTopicRows,
  message: ArchivedMessageWithConversation,
) {
  const { row, senderId, conversation } = message;
  const id = row.readMessageId();
  const content = row.readText('content');
  const rendered = renderArchivedMessage(context, parts, {
    senderId,
    content,
    html: row.readOptionalText('rendered_content'),
  });
  const history = convertArchivedEditHistory(
    row.readOptionalText('edit_history'),
    (former) => renderArchivedMessage(context, parts, { senderId, content: former, html: null }).html,
  );
  if (history === null) context.report.addSkippedRowCount('malformed edit histories');
  const recipientId = parts.conversations.getRecipientId(conversation);
  const topic = 'channelId' in conversation ? row.readText('subject') : '';
  const stored = 'channelId' in conversation ? topics.getTopicRow(recipientId, topic) : null;
  const isUnknownEdit = history?.history === null || history === null;
  return {
    columns: {
      id,
      realm_id: context.realmId,
      sender_id: senderId,
      recipient_id: recipientId,
      client_id: parts.clients.getClientId(row.readOptionalInteger('sending_client')),
      topic_id: stored?.id ?? null,
      topic: stored === null || stored.topic === topic ? null : topic,
      topic_since: 0,
      is_me_message: isMeMessage(content),
      has_link: rendered.hasLink,
      has_attachment: rendered.hasAttachment,
      has_image: rendered.hasImage,
      date_sent: row.readTime('date_sent'),
      last_edit_at: isUnknownEdit ? row.readOptionalTime('last_edit_time') : history.lastEditAt,
      last_moved_at: history?.lastMovedAt ?? null,
      edit_history: history?.history ?? null,
    },
    text: { message_id: id, content, rendered_content: rendered.html, rendered_version: rendererVersion },
  };
}

/**
 * Renders the content of an archived message to HTML.
 *
 * @param message.html HTML of the message in the archive, if there is one
 */
export function renderArchivedMessage(
  { renderer }: RealmImportContext,
  { users, files, named, content: realm }: MessageImportDependencies,
  message: { readonly senderId: number; readonly content: string; readonly html: string | null },
): RenderedMessage {
  const parsed = renderer.parse(message.content, realm);
  const uploads = new Map<string, UploadedMedia>();
  for (const path of parsed.uploadPaths) {
    const file = files.findFile(decodeUploadPathId(path));
    const media = file && toUploadedMedia(path, file);
    if (media !== undefined) uploads.set(path, media);
  }
  return renderer.render(parsed, {
    ...emptyResolvedMessageReferences,
    ...resolveNamesInArchivedMessage(parsed.candidates, message.html, named),
    translatesEmoticons: users.get(message.senderId)?.translatesEmoticons ?? false,
    uploads,
  });
}
