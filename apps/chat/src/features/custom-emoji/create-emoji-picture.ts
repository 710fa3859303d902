import { randomBytes } from 'node:crypto';
import { chatErrors } from '../../errors.js';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { createPublicPictureKey } from '../../infra/storage/index.js';
import { getCustomEmojiStorageFolder } from './wire-emoji.js';

const emojiSizePixels = 64;

/** Image files of a custom emoji that are ready to be stored. */
export interface EmojiPicture {
  readonly fileName: string;
  readonly isAnimated: boolean;
  readonly files: readonly { readonly key: string; readonly content: Buffer; readonly contentType: string }[];
}

/**
 * Creates the image files of a custom emoji from an uploaded picture.
 *
 * @throws ApplicationError BAD_IMAGE
 */
export async function createCustomEmojiImageFiles(
  pictures: ImageProcessor,
  realmId: number,
  sent: Buffer,
): Promise<EmojiPicture> {
  const info = await pictures.readPictureInfo(sent);
  if (info?.isTooLong === true) throw chatErrors.create('BAD_IMAGE', { message: 'Image size exceeds limit.' });
  const still = info && (await pictures.padToSquarePng(sent, emojiSizePixels));
  if (info === null || still === null) throw chatErrors.create('BAD_IMAGE');
  const name = randomBytes(12).toString('hex');
  const folder = getCustomEmojiStorageFolder(realmId);
  const stillOnly = { key: createPublicPictureKey(`${folder}/${name}.png`), content: still, contentType: 'image/png' };
  if (!info.isAnimated) return { fileName: `${name}.png`, isAnimated: false, files: [stillOnly] };
  const moving = await pictures.padToSquareGif(sent, emojiSizePixels);
  if (moving === null) throw chatErrors.create('BAD_IMAGE');
  return {
    fileName: `${name}.gif`,
    isAnimated: true,
    files: [
      { key: createPublicPictureKey(`${folder}/${name}.gif`), content: moving, contentType: 'image/gif' },
      { ...stillOnly, key: createPublicPictureKey(`${folder}/still/${name}.png`) },
    ],
  };
}

/**
 * Returns the storage keys of the image files of a custom emoji.
 *
 * @param fileName file name of the emoji in the table `realm_emoji`
 */
export function listCustomEmojiStorageKeys(realmId: number, fileName: string, isAnimated: boolean): string[] {
  const folder = getCustomEmojiStorageFolder(realmId);
  const still = `${folder}/still/${fileName.replace(/\.gif$/, '.png')}`;
  return [`${folder}/${fileName}`, ...(isAnimated ? [still] : [])].map(createPublicPictureKey);
}
