import { randomBytes } from 'node:crypto';
import { type RealmImageKind, getRealmImageUrlPath } from '../../core/realms/index.js';
import { chatErrors } from '../../errors.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { createPublicPictureKey } from '../../infra/storage/index.js';

/** Width and height of an icon, and maximum height of a logo, in pixels. */
const realmImageHeightPixels = 100;
const maxLogoWidthPixels = 800;

/** An icon or logo of a realm, ready to be stored. */
export interface RealmImageFile {
  /** Random part of the image URL. Each upload gets a different key, so that clients can cache images forever. */
  readonly imageKey: string;
  readonly content: Buffer;
}

/**
 * Creates the stored file of an icon or a logo from an upload.
 *
 * @throws ApplicationError BAD_IMAGE
 */
export async function createRealmImageFile(
  pictures: ImageProcessor,
  kind: RealmImageKind,
  sent: Buffer,
): Promise<RealmImageFile> {
  const content =
    kind === 'icon'
      ? await pictures.cropToSquarePng(sent, realmImageHeightPixels)
      : await pictures.scaleToFitAsPng(sent, { width: maxLogoWidthPixels, height: realmImageHeightPixels });
  if (content === null) throw chatErrors.create('BAD_IMAGE');
  return { imageKey: randomBytes(20).toString('hex'), content };
}

export function getRealmImageStorageKey(realmId: number, kind: RealmImageKind, imageKey: string): string {
  return createPublicPictureKey(getRealmImageUrlPath(realmId, kind, imageKey));
}

/**
 * Returns the storage keys of the uploaded icon and logos of a realm.
 *
 * @param images value of the column `realms.images`
 */
export function listRealmImageFiles(
  realmId: number,
  images: Readonly<Partial<Record<RealmImageKind, { readonly key: string | null }>>>,
): string[] {
  const kinds = ['icon', 'logo', 'night_logo'] as const;
  return kinds.flatMap((kind) => {
    const key = images[kind]?.key ?? null;
    return key === null ? [] : [getRealmImageStorageKey(realmId, kind, key)];
  });
}
