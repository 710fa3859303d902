import { createBadRequestError } from '../../errors.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { serverLimitSnapshotFields } from '../../core/realms/index.js';
import type { WireChannelFolder } from './wire-channel-folder.js';

const maxFolderNameLength = serverLimitSnapshotFields.max_channel_folder_name_length;
const maxFolderDescriptionLength = serverLimitSnapshotFields.max_channel_folder_description_length;

/**
 * Checks the name of a channel folder, and returns the name without blanks at its ends. The name must not be empty, and
 * must differ from other names in more than letter case.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function validateFolderName(text: string, others: readonly WireChannelFolder[]): string {
  const name = text.trim();
  if (name === '') throw createBadRequestError('name cannot be blank');
  if ([...name].length > maxFolderNameLength)
    throw createBadRequestError(`name is too long (limit: ${maxFolderNameLength} characters)`);
  const isTaken = others.some((folder) => normalizeTextForComparison(folder.name) === normalizeTextForComparison(name));
  if (isTaken) throw createBadRequestError(`Channel folder '${name}' already exists.`);
  return name;
}

/**
 * Checks the description of a channel folder. Returns the description without leading and trailing blanks.
 *
 * @throws ApplicationError BAD_REQUEST
 */
export function validateFolderDescription(text: string): string {
  const description = text.trim();
  if ([...description].length > maxFolderDescriptionLength) {
    throw createBadRequestError(`description is too long (limit: ${maxFolderDescriptionLength} characters)`);
  }
  return description;
}
