/** Returns the storage key of an uploaded original file. */
export function getUploadStorageKey(pathId: string): string {
  return `uploads/${pathId}`;
}

/**
 * Returns the SQL expression for the folder of the uploaded file `alias`, with a slash at the end. A text that links to
 * the file contains the folder, which no other file has, while the file name may be percent-encoded in the text.
 */
export const createUploadFolderSql = (alias: string): string => `regexp_replace(${alias}.path_id, '[^/]*$', '')`;

/**
 * Returns the storage key of a smaller version of an uploaded picture.
 *
 * @param name name of the smaller version, such as `840x560.webp`
 */
export function getThumbnailStorageKey(pathId: string, name: string): string {
  return `thumbnails/${pathId}/${name}`;
}

/**
 * Returns the storage keys of all files that may exist for an upload: the original file and the thumbnail of the file.
 */
export function listAttachmentStorageKeys(pathId: string): string[] {
  return [getUploadStorageKey(pathId), getThumbnailStorageKey(pathId, messageThumbnailSize.name)];
}

/** Name and size in pixels of the thumbnail that clients show in messages (docs/contract/chat.md 5.9). */
export const messageThumbnailSize = { name: '840x560.webp', width: 840, height: 560 } as const;
