import { envInteger } from '@switchboard/platform';
import sharp, { type Sharp } from 'sharp';
import { ImageQueue } from './image-queue.js';

/** Settings that bound the work on images. */
export const imageEnv = {
  IMAGE_MAX_PIXELS: envInteger({ min: 1_000_000 }).default(50_000_000).meta({
    description: 'Most pixels of an image, all frames of an animation together; larger ones are not processed',
  }),
  IMAGE_MAX_FRAMES: envInteger({ min: 1, max: 10_000 })
    .default(500)
    .meta({ description: 'Most frames of an animated emoji' }),
  IMAGE_QUEUE: envInteger({ min: 1 })
    .default(100)
    .meta({ description: 'Most waiting image operations of one process; two run concurrently' }),
};

/** Properties of an image file. */
export interface PictureInfo {
  /** Width in pixels as displayed, after rotation by the camera orientation. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly isAnimated: boolean;
  /** True if the animation exceeds the limits of frames or pixels. */
  readonly isTooLong: boolean;
}

/** Bounds of a smaller version of an image, in pixels. */
export interface Frame {
  readonly width: number;
  readonly height: number;
}

/** A file, or a function that reads it once the operation runs: files of operations that wait take no memory. */
export type ImageSource = Buffer | (() => Promise<Buffer | null>);

/** The formats that are read. Formats that programs make (SVG, PDF) can do more than show an image. */
const contentTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

/** Time limit of an operation in seconds. */
const maxSeconds = 10;

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
// One thread for each operation: the service has other work to do.
sharp.concurrency(1);
sharp.cache(false);

/** Reads images and makes smaller versions of them, two operations at a time in one process. */
export class Pictures {
  readonly #queue: ImageQueue;
  readonly #maxPixels: number;
  readonly #maxFrames: number;

  constructor(config: {
    readonly IMAGE_MAX_PIXELS: number;
    readonly IMAGE_MAX_FRAMES: number;
    readonly IMAGE_QUEUE: number;
  }) {
    this.#queue = new ImageQueue(config.IMAGE_QUEUE);
    this.#maxPixels = config.IMAGE_MAX_PIXELS;
    this.#maxFrames = config.IMAGE_MAX_FRAMES;
  }

  /**
   * Reads the properties of an image; null for anything else, and for images too large to be processed.
   *
   * @throws AppError SERVICE_UNAVAILABLE when too many operations wait; so do all others
   */
  info(source: ImageSource): Promise<PictureInfo | null> {
    return this.#process(source, async (file) => {
      const { format, width, height, pages = 1, autoOrient } = await this.#open(file).metadata();
      const contentType = contentTypes.get(format);
      if (contentType === undefined || width * height > this.#maxPixels) return null;
      const isTooLong = pages > this.#maxFrames || pages * width * height > this.#maxPixels;
      const { width: shownWidth, height: shownHeight } = autoOrient;
      return { width: shownWidth, height: shownHeight, contentType, isAnimated: pages > 1, isTooLong };
    });
  }

  /** A still version that fits into a frame, as WebP; null when the file is no image. Never larger than the original. */
  fitting(source: ImageSource, frame: Frame): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      made(
        this.#open(file)
          .autoOrient()
          .resize({ ...frame, fit: 'inside', withoutEnlargement: true })
          .webp(),
      ),
    );
  }

  /** The middle of an image as a square PNG of so many pixels; null when the file is no image. */
  square(source: ImageSource, pixels: number): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      made(this.#open(file).autoOrient().resize({ width: pixels, height: pixels, fit: 'cover' }).png()),
    );
  }

  /** All of an image on a transparent square, as PNG; null when the file is no image. */
  padded(source: ImageSource, pixels: number): Promise<Buffer | null> {
    return this.#process(source, (file) => made(this.#open(file).autoOrient().resize(padding(pixels)).png()));
  }

  /** All of an animation on a transparent square, as GIF; null when the file is no image. */
  paddedAnimation(source: ImageSource, pixels: number): Promise<Buffer | null> {
    return this.#process(source, (file) => made(this.#open(file, true).resize(padding(pixels)).gif()));
  }

  #open(file: Buffer, animated = false): Sharp {
    return sharp(file, { animated, limitInputPixels: this.#maxPixels, failOn: 'error' });
  }

  #process<T>(source: ImageSource, operation: (file: Buffer) => Promise<T>): Promise<T | null> {
    return this.#queue.run(async () => {
      const file = typeof source === 'function' ? await source() : source;
      if (file === null) return null;
      try {
        return await operation(file);
      } catch {
        // Whatever the library says of a file, it is no image that can be used.
        return null;
      }
    });
  }
}

function padding(pixels: number) {
  return { width: pixels, height: pixels, fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
}

function made(image: Sharp): Promise<Buffer> {
  return image.timeout({ seconds: maxSeconds }).toBuffer();
}
