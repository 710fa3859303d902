import { isMeMessage, toUploadedMedia, decodeUploadPathId } from '../../../core/messages/index.js';
import {
  emptyResolvedNames,
  type RealmContent,
  type RenderedMessage,
  rendererVersion,
  type UploadedMedia,
} from '../../../infra/markdown/index.js';
import { convertArchivedEdits } from './archived-edit-history.js';
import { type NamedObjects, resolveArchivedNames } from './archived-names.js';
import { findArchiveFile } from './archive/archive-path.js';
import { ArchiveRow } from './archive/archive-row.js';
import { readJsonElements } from './archive/json-elements.js';
import type { ImportedClientIds } from './import-clients.js';
import type { ArchivedConversation, ArchivedConversations } from './archived-conversations.js';
import type { ImportContext, ImportedUsers } from './import-context.js';
import type { ImportedFiles } from './import-uploads.js';
import { importUserMessages } from './import-user-messages.js';
import { insertRows } from './insert-rows.js';
import { ImportedTopicRows } from './topic-rows.js';

/** Results of earlier import steps that the import of messages needs. */
export interface MessageImportDependencies {
  readonly users: ImportedUsers;
  readonly conversations: ArchivedConversations;
  readonly clients: ImportedClientIds;
  readonly files: ImportedFiles;
  readonly named: NamedObjects;
  /** Linkifiers, emoji and other settings of the organization that the rendering of messages uses. */
  readonly content: RealmContent;
}

const messageColumns = {
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

const messageTextColumns = { message_id: 'bigint', content: 'text', rendered_content: 'text', rendered_version: 'int' };
const importedMessagesPerBatch = 1_000;

/** Inserts the messages of all message files in the archive, with their topics, edit histories and recipient rows. */
export async function importMessages(context: ImportContext, parts: MessageImportDependencies): Promise<void> {
  for (let number = 1; ; number += 1) {
    const name = `messages-${String(number).padStart(6, '0')}.json`;
    const file = await findArchiveFile(context.archive.folder, name);
    if (file === null) return;
    for await (const rows of readArchivedMessageRows(file, 'zerver_message'))
      await importMessageBatch(context, parts, rows);
    for await (const rows of readArchivedMessageRows(file, 'zerver_usermessage'))
      await importUserMessages(context, parts.users, rows);
  }
}

async function* readArchivedMessageRows(file: string, table: string): AsyncGenerator<ArchiveRow[]> {
  let batch: ArchiveRow[] = [];
  for await (const elements of readJsonElements(file)) {
    for (const { key, text } of elements) {
      if (key !== table) continue;
      batch.push(ArchiveRow.parse(table, text));
      if (batch.length < importedMessagesPerBatch) continue;
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

interface ArchivedMessage {
  readonly row: ArchiveRow;
  readonly senderId: number;
  readonly conversation: ArchivedConversation;
}

async function importMessageBatch(
  context: ImportContext,
  parts: MessageImportDependencies,
  rows: readonly ArchiveRow[],
): Promise<void> {
  const { tx, report } = context;
  const messages = rows.flatMap((row): ArchivedMessage[] => {
    const senderId = row.id('sender');
    const conversation = parts.conversations.find(row.id('recipient'), senderId);
    if (conversation === null || !parts.users.has(senderId)) return [];
    return [{ row, senderId, conversation }];
  });
  report.addSkipped('messages of unknown users or conversations', rows.length - messages.length);
  await parts.conversations.addMissing(
    tx,
    messages.map(({ conversation }) => conversation),
  );
  const topics = await ImportedTopicRows.add(
    tx,
    messages.flatMap((message) => collectTopicsOfMessages(parts, message)),
  );
  const converted = messages.map((message) => convertMessage(context, parts, topics, message));
  await insertRows(
    tx,
    'messages',
    messageColumns,
    converted.map(({ columns }) => columns),
  );
  await insertRows(
    tx,
    'message_texts',
    messageTextColumns,
    converted.map(({ text }) => text),
  );
  report.addImported('messages', messages.length);
}

function collectTopicsOfMessages({ conversations }: MessageImportDependencies, { row, conversation }: ArchivedMessage) {
  if (!('channelId' in conversation)) return [];
  return [{ recipientId: conversations.getConversationId(conversation), topic: row.text('subject') }];
}

function convertMessage(
  context: ImportContext,
  parts: MessageImportDependencies,
  topics: ImportedTopicRows,
  message: ArchivedMessage,
) {
  const { row, senderId, conversation } = message;
  const id = row.messageId();
  const content = row.text('content');
  const rendered = renderArchivedMessage(context, parts, {
    senderId,
    content,
    html: row.optionalText('rendered_content'),
  });
  const history = convertArchivedEdits(
    row.optionalText('edit_history'),
    (former) => renderArchivedMessage(context, parts, { senderId, content: former, html: null }).html,
  );
  if (history === null) context.report.addSkipped('malformed edit histories');
  const recipientId = parts.conversations.getConversationId(conversation);
  const topic = 'channelId' in conversation ? row.text('subject') : '';
  const stored = 'channelId' in conversation ? topics.get(recipientId, topic) : null;
  const isUnknownEdit = history?.history === null || history === null;
  return {
    columns: {
      id,
      realm_id: context.realmId,
      sender_id: senderId,
      recipient_id: recipientId,
      client_id: parts.clients.getClientId(row.optionalInteger('sending_client')),
      topic_id: stored?.id ?? null,
      topic: stored === null || stored.topic === topic ? null : topic,
      topic_since: 0,
      is_me_message: isMeMessage(content),
      has_link: rendered.hasLink,
      has_attachment: rendered.hasAttachment,
      has_image: rendered.hasImage,
      date_sent: row.time('date_sent'),
      last_edit_at: isUnknownEdit ? row.optionalTime('last_edit_time') : history.lastEditAt,
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
  { renderer }: ImportContext,
  { users, files, named, content: realm }: MessageImportDependencies,
  message: { readonly senderId: number; readonly content: string; readonly html: string | null },
): RenderedMessage {
  const parsed = renderer.parse(message.content, realm);
  const uploads = new Map<string, UploadedMedia>();
  for (const path of parsed.uploadPaths) {
    const file = files.find(decodeUploadPathId(path));
    const media = file && toUploadedMedia(path, file);
    if (media !== undefined) uploads.set(path, media);
  }
  return renderer.render(parsed, {
    ...emptyResolvedNames,
    ...resolveArchivedNames(parsed.candidates, message.html, named),
    translatesEmoticons: users.get(message.senderId)?.translatesEmoticons ?? false,
    uploads,
  });
}
