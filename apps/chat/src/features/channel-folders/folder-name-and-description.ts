import { createBadRequestError } from '../../errors.js';
import { toTextKey } from '../../infra/normalized-text-key.js';
import { getServerLimitFields } from '../../core/realms/index.js';
import type { WireChannelFolder } from './wire-channel-folder.js';

const maxFolderNameLength = getServerLimitFields.max_channel_folder_name_length;
const maxFolderDescriptionLength = getServerLimitFields.max_channel_folder_description_length;

/**
 * Checks the name of a channel folder, and returns the name without blanks at its ends. The name must not be empty, and
 * must differ from other names in more than letter case.
 *
 * @throws AppError BAD_REQUEST
 */
export function validateFolderName(text: string, others: readonly WireChannelFolder[]): string {
  const name = text.trim();
  if (name === '') throw createBadRequestError('name cannot be blank');
  if ([...name].length > maxFolderNameLength)
    throw createBadRequestError(`name is too long (limit: ${maxFolderNameLength} characters)`);
  const isTaken = others.some((folder) => toTextKey(folder.name) === toTextKey(name));
  if (isTaken) throw createBadRequestError(`Channel folder '${name}' already exists.`);
  return name;
}

/**
 * Checks the description of a channel folder, and returns it without blanks at its ends.
 *
 * @throws AppError BAD_REQUEST
 */
export function validateFolderDescription(text: string): string {
  const description = text.trim();
  if ([...description].length > maxFolderDescriptionLength) {
    throw createBadRequestError(`description is too long (limit: ${maxFolderDescriptionLength} characters)`);
  }
  return description;
}
