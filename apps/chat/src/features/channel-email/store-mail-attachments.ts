import { ApplicationError } from '@switchboard/errors';
import { serverLimitSnapshotFields } from '../../core/realms/index.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { MailAttachment, ParsedMail } from '../../infra/incoming-mail/index.js';
import { yieldBufferAsChunk } from '../../infra/storage/index.js';
import type { UploadFile } from '../uploads/index.js';

const bytesPerMebibyte = 1024 * 1024;

/**
 * Maximum length, in UTF-16 code units, of the message lines that name attached files. The limit leaves enough
 * characters for the text of the email.
 */
const maxAttachmentLinesLength = 7_000;

/**
 * Stores the attachments of an email as uploaded files of the sender. Returns Markdown lines with a link to each file.
 * A file that exceeds the limits of the organization is named without a link.
 *
 * @throws Error if the storage or the database is unavailable
 */
export async function storeMailAttachments(
  uploadFile: Pick<UploadFile, 'store'>,
  sender: ChatActor,
  { attachments, omittedAttachments }: ParsedMail,
): Promise<string> {
  const lines: string[] = [];
  let omitted = omittedAttachments;
  let length = 0;
  for (const attachment of attachments) {
    if (length > maxAttachmentLinesLength) {
      omitted += 1;
      continue;
    }
    const line = await storeMailAttachment(uploadFile, sender, attachment);
    lines.push(line);
    length += line.length;
  }
  if (omitted > 0) lines.push(`(${omitted} further files of this mail were not stored.)`);
  return lines.join('\n');
}

/** Stores one attached file of an email. Returns the Markdown line that names the file. */
async function storeMailAttachment(
  uploadFile: Pick<UploadFile, 'store'>,
  sender: ChatActor,
  { name, contentType, content }: MailAttachment,
): Promise<string> {
  const shown =
    name
      .replaceAll(/[[\]\p{Cc}\p{Cs}]/gu, '')
      .slice(0, 100)
      .toWellFormed() || 'file';
  if (content.length > serverLimitSnapshotFields.max_file_upload_size_mib * bytesPerMebibyte)
    return `${shown} (not stored: too large)`;
  if (content.length === 0) return `${shown} (empty)`;
  try {
    const { url } = await uploadFile.store(sender, { name, contentType, content: yieldBufferAsChunk(content) });
    return `[${shown}](${url})`;
  } catch (error) {
    if (!(error instanceof ApplicationError) || error.status >= 500) throw error;
    return `${shown} (not stored: ${error.message})`;
  }
}
