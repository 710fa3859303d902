import { createBadRequestError } from '../../errors.js';
import { serverLimitSnapshotFields } from '../realms/index.js';

const maxChannelNameLength = serverLimitSnapshotFields.max_stream_name_length;
const maxChannelDescriptionLength = serverLimitSnapshotFields.max_stream_description_length;

/**
 * Returns a channel name in the stored form, without blanks at its beginning and end. The name must have 1 to 60
 * characters (docs/contract/chat.md 4.3).
 * @throws ApplicationError BAD_REQUEST
 */
export function parseChannelName(text: string): string {
  const name = text.trim();
  if (name === '') throw createBadRequestError("Channel name can't be empty.");
  const characters = [...name];
  if (characters.length > maxChannelNameLength) {
    throw createBadRequestError(`Channel name too long (limit: ${maxChannelNameLength} characters).`);
  }
  const invalid = characters.findIndex((character) => /[\p{Cc}\p{Cs}\p{Cn}]/u.test(character));
  if (invalid >= 0) throw createBadRequestError(`Invalid character in channel name, at position ${invalid + 1}.`);
  return name;
}

/**
 * Returns a channel description in the stored form, on one line. The description may have at most 1024 characters.
 * @throws ApplicationError BAD_REQUEST
 */
export function parseChannelDescription(text: string): string {
  const description = text.replaceAll(/\r\n|\r|\n/g, ' ').trim();
  if ([...description].length > maxChannelDescriptionLength) {
    throw createBadRequestError(`description is too long (limit: ${maxChannelDescriptionLength} characters)`);
  }
  return description;
}
