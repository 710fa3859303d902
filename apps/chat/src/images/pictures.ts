import sharp, { type Sharp } from 'sharp';

/** What a picture is. */
export interface PictureInfo {
  /** In pixels, as it is shown: turned the way its camera was held. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly isAnimated: boolean;
}

/** How large a smaller version of a picture may be, in pixels. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

/** What is read, and no more: formats that programs make (SVG, PDF) can do more than show a picture. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

/** A file of a few kilobytes can say that it is a hundred thousand pixels wide. All frames of an animation count. */
const mostPixels = 50_000_000;

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
// One picture at a time has one thread: the service has other work to do, and several requests share the machine.
sharp.concurrency(1);
sharp.cache(false);

/** Reads what a picture is; null for anything else, and for pictures too large to be worked on. */
export async function pictureInfo(file: Buffer): Promise<PictureInfo | null> {
  try {
    const { format, width, height, pages, autoOrient } = await open(file).metadata();
    const contentType = contentTypes.get(format);
    if (contentType === undefined || width * height > mostPixels) return null;
    return { width: autoOrient.width, height: autoOrient.height, contentType, isAnimated: (pages ?? 1) > 1 };
  } catch {
    return null;
  }
}

/** A still version that fits into a frame, as WebP; null when the file is no picture. Never larger than the original. */
export function fittingPicture(file: Buffer, frame: Frame): Promise<Buffer | null> {
  return made(() =>
    open(file)
      .autoOrient()
      .resize({ ...frame, fit: 'inside', withoutEnlargement: true })
      .webp(),
  );
}

/** The middle of a picture as a square PNG of so many pixels; null when the file is no picture. */
export function squarePicture(file: Buffer, pixels: number): Promise<Buffer | null> {
  return made(() => open(file).autoOrient().resize({ width: pixels, height: pixels, fit: 'cover' }).png());
}

/** All of a picture on a transparent square, as PNG; null when the file is no picture. */
export function paddedPicture(file: Buffer, pixels: number): Promise<Buffer | null> {
  return made(() => open(file).autoOrient().resize(padding(pixels)).png());
}

/** The same of an animation, as GIF. */
export function paddedAnimation(file: Buffer, pixels: number): Promise<Buffer | null> {
  return made(() => open(file, true).resize(padding(pixels)).gif());
}

function padding(pixels: number) {
  return { width: pixels, height: pixels, fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
}

function open(file: Buffer, animated = false): Sharp {
  return sharp(file, { animated, limitInputPixels: mostPixels, failOn: 'error' });
}

async function made(make: () => Sharp): Promise<Buffer | null> {
  try {
    return await make().toBuffer();
  } catch {
    return null;
  }
}
