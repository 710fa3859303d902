import { randomBytes } from 'node:crypto';
import { chatErrors } from '../../errors.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { createPublicPictureKey } from '../../infra/storage/index.js';
import { serverLimitSnapshotFields } from '../../core/realms/index.js';

const avatarContentType = 'image/png';

/** Maximum size of an uploaded avatar in bytes. */
export const maxAvatarBytes = serverLimitSnapshotFields.max_avatar_file_size_mib * 1024 * 1024;

/** Stored sizes of an avatar. A size is both the width and the height in pixels. */
const avatarSizesInPixels = { small: 100, medium: 500 } as const;

export type AvatarSizeName = keyof typeof avatarSizesInPixels;

/** An avatar whose image files are ready to be stored. */
export interface AvatarPicture {
  /**
   * Random part of the avatar's URL. The part is different for each upload, so that clients can cache images forever.
   */
  readonly avatarKey: string;
  readonly files: readonly { readonly key: string; readonly content: Buffer; readonly contentType: string }[];
}

/**
 * Creates image files in the stored sizes of an avatar from an uploaded picture.
 * @throws ApplicationError BAD_IMAGE
 */
export async function createAvatarPicture(
  pictures: ImageProcessor,
  realmId: number,
  sent: Buffer,
): Promise<AvatarPicture> {
  const avatarKey = randomBytes(20).toString('hex');
  const [small, medium] = [
    await pictures.cropToSquarePng(sent, avatarSizesInPixels.small),
    await pictures.cropToSquarePng(sent, avatarSizesInPixels.medium),
  ];
  if (small === null || medium === null) throw chatErrors.create('BAD_IMAGE');
  return {
    avatarKey,
    files: [
      {
        key: createPublicPictureKey(getAvatarStoragePath(realmId, avatarKey, 'small')),
        content: small,
        contentType: avatarContentType,
      },
      {
        key: createPublicPictureKey(getAvatarStoragePath(realmId, avatarKey, 'medium')),
        content: medium,
        contentType: avatarContentType,
      },
    ],
  };
}

/** Returns the URL path of an avatar, relative to /user_avatars/. */
export function getAvatarStoragePath(realmId: number, avatarKey: string, size: AvatarSizeName): string {
  return `${realmId}/${avatarKey}${size === 'medium' ? '-medium' : ''}.png`;
}

/** Returns the storage keys of an avatar's small and medium image files. */
export function listAvatarStorageKeys(realmId: number, avatarKey: string): string[] {
  return (['small', 'medium'] as const).map((size) =>
    createPublicPictureKey(getAvatarStoragePath(realmId, avatarKey, size)),
  );
}
