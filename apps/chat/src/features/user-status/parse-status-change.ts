import {
  checkEmojiReference,
  completeEmojiReference,
  type CustomEmojiRecord,
} from '../../infra/emoji/emoji-reference.js';
import { createBadRequestError } from '../../errors.js';
import { parseOptionalText } from '../../infra/http/parse-text-parameters.js';

const maxStatusTextLength = 60;

/** User status in a client's request. Absent fields remain unchanged. */
export interface UserStatusInRequest {
  readonly status_text?: string | undefined;
  readonly emoji_name?: string | undefined;
  readonly emoji_code?: string | undefined;
  readonly reaction_type?: string | undefined;
  readonly away?: boolean | undefined;
}

/** Changed fields of a user status. An empty string clears a field. */
export interface UserStatusChange {
  readonly status_text?: string;
  readonly emoji_name?: string;
  readonly emoji_code?: string;
  readonly reaction_type?: string;
}

/**
 * Validates the user status that a client sent, and completes missing emoji fields (chat-4.10).
 *
 * @param custom Custom emoji of the realm that the status may refer to.
 * @throws ApplicationError BAD_REQUEST
 */
export function parseUserStatusChange(
  sent: UserStatusInRequest,
  custom: readonly CustomEmojiRecord[],
): UserStatusChange {
  const { status_text: text, emoji_name: name, emoji_code: code, reaction_type: type } = sent;
  if (name === undefined && (code !== undefined || type !== undefined)) {
    throw createBadRequestError('Client must pass emoji_name if they pass either emoji_code or reaction_type.');
  }
  if (text === undefined && name === undefined && sent.away === undefined) {
    throw createBadRequestError('Client did not pass any new values.');
  }
  return {
    ...(text !== undefined && { status_text: parseOptionalText('status_text', text, maxStatusTextLength) }),
    ...(name !== undefined && parseStatusEmojiChange({ ...sent, emoji_name: name }, custom)),
  };
}

function parseStatusEmojiChange(
  sent: UserStatusInRequest & { readonly emoji_name: string },
  custom: readonly CustomEmojiRecord[],
) {
  if (sent.emoji_name === '') return { emoji_name: '', emoji_code: '', reaction_type: '' };
  const emoji = completeEmojiReference(sent, custom);
  checkEmojiReference(emoji, custom);
  return { emoji_name: emoji.emojiName, emoji_code: emoji.emojiCode, reaction_type: emoji.reactionType };
}
