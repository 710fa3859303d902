import type { Tx } from '@switchboard/database';
import { type StoredFileLedger, toStreamChunks } from '../../infra/storage/index.js';
import type { AvatarPicture } from './create-avatar-picture.js';

/**
 * Stores the image files of an avatar. The files are deleted later unless a transaction calls
 * {@link cancelPictureDeletion}.
 */
export async function storePicture(files: StoredFileLedger, picture: AvatarPicture): Promise<void> {
  for (const { key, content, contentType } of picture.files) await files.add(key, toStreamChunks(content), contentType);
}

/** Cancels the scheduled deletion of an avatar's image files, because the current transaction refers to these files. */
export async function cancelPictureDeletion(files: StoredFileLedger, tx: Tx, picture: AvatarPicture): Promise<void> {
  await files.cancelDeletion(
    tx,
    picture.files.map(({ key }) => key),
  );
}

/** Sets the avatar of an account that is being created. */
export async function setFirstAvatar(
  files: StoredFileLedger,
  tx: Tx,
  userId: number,
  picture: AvatarPicture,
): Promise<void> {
  await cancelPictureDeletion(files, tx, picture);
  await tx.query("UPDATE users SET avatar_source = 'U', avatar_key = $2 WHERE id = $1", [userId, picture.avatarKey]);
}
