import type { MessageRenderer, RealmMarkdownRenderingSettings, RenderedMessage } from '../../infra/markdown/index.js';
import { createBadRequestError } from '../../errors.js';
import type { LockedMessage } from '../../core/message-access/index.js';
import { isMeMessage, rejectLargeWildcardMention, resolveMarkdownNames } from '../../core/messages/index.js';
import { checkPreviousContent, type MessageEditRequest } from './edit-message-request.js';
import { type MessageEditingUser, getOldestEditableMessageTime } from './get-message-editor.js';
import type { ContentChange } from './update-message.events.js';

/** Objects and values that {@link prepareMessageContentEdit} receives from its caller. */
export interface EditMessageContentDependencies {
  readonly renderer: MessageRenderer;
  readonly realm: RealmMarkdownRenderingSettings;
}

/** New content of an edited message. The editor's permission has been checked. */
export interface MessageContentEdit {
  readonly change: ContentChange;
  readonly rendered: RenderedMessage;
  /** Paths of the uploaded files to which the new content of the message links. */
  readonly uploadPaths: readonly string[];
}

/**
 * Returns the new content of an edited message; null for a request without content, or with unchanged content.
 *
 * @throws ApplicationError BAD_REQUEST, EXPECTATION_MISMATCH, STREAM_WILDCARD_MENTION_NOT_ALLOWED and others
 */
export async function prepareMessageContentEdit(
  editor: MessageEditingUser,
  { renderer, realm }: EditMessageContentDependencies,
  message: LockedMessage,
  request: MessageEditRequest,
): Promise<MessageContentEdit | null> {
  const { content } = request;
  if (content === undefined) return null;
  requireMessageAuthor(editor, message);
  checkPreviousContent(message.content, request.previousSha256);
  if (content === message.content) return null;
  const { tx, actor } = editor;
  const parsed = renderer.parse(content, realm);
  const rendered = renderer.render(parsed, await resolveMarkdownNames(tx, actor, parsed));
  await checkNewWildcardMentions(editor, message, rendered);
  const change = {
    before: message.content,
    renderedBefore: message.rendered,
    content,
    rendered: rendered.html,
    isMeMessage: isMeMessage(content),
  };
  return { change, rendered, uploadPaths: parsed.uploadPaths };
}

function requireMessageAuthor(editor: MessageEditingUser, message: LockedMessage): void {
  const { actor, settings } = editor;
  if (message.senderId !== actor.id || message.channel?.is_archived === true) {
    throw createBadRequestError("You don't have permission to edit this message");
  }
  if (message.hasWidget) throw createBadRequestError('Widgets cannot be edited.');
  if (!settings.allow_message_editing) throw createBadRequestError('Your organization has turned off message editing');
  if (message.sentAtMs < getOldestEditableMessageTime(editor, settings.message_content_edit_limit_seconds)) {
    throw createBadRequestError('The time limit for editing this message has passed');
  }
}

async function checkNewWildcardMentions(
  editor: MessageEditingUser,
  message: LockedMessage,
  rendered: RenderedMessage,
): Promise<void> {
  const { channel, recipientId, topic } = message;
  if (channel === null || editor.rights.hasRealmPermission('can_mention_many_users_group')) return;
  await rejectLargeWildcardMention(editor.tx, { channel, recipientId }, topic, rendered);
}
