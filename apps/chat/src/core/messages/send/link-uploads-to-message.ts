import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../../events/chat-events.js';
import { emitChangedAttachments, type WireAttachment } from '../../attachments/index.js';
import type { MessageAuthor } from './resolve-mentioned-users.repository.js';
import { writeUploadLinks } from './linked-uploads.repository.js';

/**
 * Links a new message to the uploaded files in its content. Emits events about these files to their owners.
 * Executes no SQL statement if the content contains no links to files.
 */
export async function linkUploadsToMessage(
  tx: Tx,
  events: ChatEventWriter,
  author: MessageAuthor,
  messageId: number,
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const { linked } = await writeUploadLinks(tx, author, messageId, paths);
  await emitChangedAttachments(tx, events, author.realmId, linked);
}

/**
 * Updates the links of an edited message to uploaded files.
 *
 * @returns the author's files that are no longer linked by any message
 */
export async function updateUploadReferences(
  tx: Tx,
  events: ChatEventWriter,
  author: MessageAuthor,
  messageId: number,
  paths: readonly string[],
): Promise<WireAttachment[]> {
  const { linked, unlinked } = await writeUploadLinks(tx, author, messageId, paths);
  const changed = await emitChangedAttachments(tx, events, author.realmId, [...linked, ...unlinked]);
  return changed
    .filter(({ ownerId, attachment }) => ownerId === author.id && attachment.messages.length === 0)
    .map(({ attachment }) => attachment);
}
