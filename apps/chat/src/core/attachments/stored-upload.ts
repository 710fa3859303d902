/** Returns the storage key of an uploaded file. */
export function uploadKey(pathId: string): string {
  return `uploads/${pathId}`;
}

/** Returns the storage key of a smaller version of an uploaded picture. @param name Such as `840x560.webp`. */
export function thumbnailKey(pathId: string, name: string): string {
  return `thumbnails/${pathId}/${name}`;
}

/** Keys of all files that the storage may have of an upload. */
export function attachmentKeys(pathId: string): string[] {
  return [uploadKey(pathId), thumbnailKey(pathId, messageThumbnail.name)];
}

/** The smaller version that clients show in messages (docs/contract/chat.md 5.9). Pixels. */
export const messageThumbnail = { name: '840x560.webp', width: 840, height: 560 } as const;
