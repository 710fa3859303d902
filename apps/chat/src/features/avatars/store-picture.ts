import type { Tx } from '@switchboard/database';
import { type StoredFileDeletionSchedule, yieldBufferAsChunk } from '../../infra/storage/index.js';
import type { AvatarPicture } from './create-avatar-picture.js';

/**
 * Stores the image files of an avatar. The files are deleted later unless a transaction calls
 * {@link cancelAvatarFileDeletion}.
 */
export async function storeAvatarImageFiles(files: StoredFileDeletionSchedule, picture: AvatarPicture): Promise<void> {
  for (const { key, content, contentType } of picture.files)
    await files.add(key, yieldBufferAsChunk(content), contentType);
}

/** Cancels the scheduled deletion of an avatar's image files, because the current transaction refers to these files. */
export async function cancelAvatarFileDeletion(
  files: StoredFileDeletionSchedule,
  tx: Tx,
  picture: AvatarPicture,
): Promise<void> {
  await files.cancelFileDeletion(
    tx,
    picture.files.map(({ key }) => key),
  );
}

/** Sets the avatar of an account that is being created. */
export async function setAvatarOfNewAccount(
  files: StoredFileDeletionSchedule,
  tx: Tx,
  userId: number,
  picture: AvatarPicture,
): Promise<void> {
  await cancelAvatarFileDeletion(files, tx, picture);
  await tx.query("UPDATE users SET avatar_source = 'U', avatar_key = $2 WHERE id = $1", [userId, picture.avatarKey]);
}
