import { type ActorRights } from '../../core/access/actor-rights.js';
import { findEmojiByReference } from '../../infra/emoji/emoji-reference.js';
import { createBadRequestError } from '../../errors.js';

/**
 * Returns the name of a new custom emoji in its stored form: in lower case, with `_` instead of spaces. Administrators
 * may use the name of a Unicode emoji, which the custom emoji then replaces.
 *
 * @throws ApplicationError BAD_REQUEST for other characters, a separator at the end, or the name of another emoji
 */
export function validateEmojiName(sent: string, rights: ActorRights, namesInUse: readonly string[]): string {
  const name = sent.trim().toLowerCase().replaceAll(' ', '_');
  if (!/^[0-9a-z._-]{0,99}[0-9a-z]$/.test(name)) {
    throw createBadRequestError(
      'Emoji names must consist of lowercase English letters, digits, spaces, dashes, underscores and dots, and end with a letter or digit.',
    );
  }
  if (namesInUse.includes(name)) throw createBadRequestError('A custom emoji with this name already exists.');
  if (findEmojiByReference(name) !== undefined && !rights.isAdmin) {
    throw createBadRequestError('Only administrators can override default emoji.');
  }
  return name;
}
