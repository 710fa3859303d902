import { createBadRequestError } from '../../errors.js';
import { toTextKey } from '../../infra/normalized-text-key.js';
import { getServerLimitFields } from '../../core/realms/index.js';
import type { WireChannelFolder } from './wire-channel-folder.js';

const maxFolderNameLength = getServerLimitFields.max_channel_folder_name_length;
const maxFolderDescriptionLength = getServerLimitFields.max_channel_folder_description_length;

/**
 * Returns the name of a channel folder as stored: trimmed, not empty, and unique in any letter case.
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
 * Returns the trimmed description of a channel folder.
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
