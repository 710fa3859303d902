import { badRequest } from '../../errors.js';
import { textKey } from '../../infra/normalized-text-key.js';
import { limitFields } from '../../core/realms/index.js';
import type { WireChannelFolder } from './wire-channel-folder.js';

const longestName = limitFields.max_channel_folder_name_length;
const longestDescription = limitFields.max_channel_folder_description_length;

/**
 * Returns the name of a channel folder as stored: trimmed, not empty, and unique in any letter case.
 *
 * @throws AppError BAD_REQUEST
 */
export function folderName(text: string, others: readonly WireChannelFolder[]): string {
  const name = text.trim();
  if (name === '') throw badRequest('name cannot be blank');
  if ([...name].length > longestName) throw badRequest(`name is too long (limit: ${longestName} characters)`);
  const isTaken = others.some((folder) => textKey(folder.name) === textKey(name));
  if (isTaken) throw badRequest(`Channel folder '${name}' already exists.`);
  return name;
}

/**
 * Returns the trimmed description of a channel folder.
 *
 * @throws AppError BAD_REQUEST
 */
export function folderDescription(text: string): string {
  const description = text.trim();
  if ([...description].length > longestDescription) {
    throw badRequest(`description is too long (limit: ${longestDescription} characters)`);
  }
  return description;
}
