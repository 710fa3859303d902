import { integerVariableSchema } from '@switchboard/platform';
import sharp, { type Sharp } from 'sharp';
import { ImageOperationQueue } from './image-queue.js';

/** Environment variables that limit the size and the processing of images. */
export const imageEnvironmentVariables = {
  IMAGE_MAX_PIXELS: integerVariableSchema({ min: 1_000_000 }).default(50_000_000).meta({
    description: 'Most pixels of an image, all frames of an animation together; larger ones are not processed',
  }),
  IMAGE_MAX_FRAMES: integerVariableSchema({ min: 1, max: 10_000 })
    .default(500)
    .meta({ description: 'Most frames of an animated emoji' }),
  IMAGE_QUEUE: integerVariableSchema({ min: 1 })
    .default(100)
    .meta({ description: 'Most waiting image operations of one process; two run concurrently' }),
};

/** Properties of an image file, such as the size in pixels and the content type. */
export interface PictureInfo {
  /** Width of the image in pixels as displayed, after rotation by the camera orientation. */
  readonly width: number;
  readonly height: number;
  readonly contentType: string;
  readonly isAnimated: boolean;
  /** True if an animated image exceeds the maximum number of frames or pixels. */
  readonly isTooLong: boolean;
}

/** Maximum width and height of a scaled version of an image, in pixels. */
export interface MaxImageDimensions {
  readonly width: number;
  readonly height: number;
}

/**
 * An image file, or a function that reads the file when the image operation runs. With a function, waiting operations
 * need no memory for the file.
 */
export type ImageBytesOrReader = Buffer | (() => Promise<Buffer | null>);

/**
 * Supported image formats, with their content types. SVG and PDF are excluded, because these formats can contain more
 * than an image.
 */
const imageContentTypes: ReadonlyMap<string, string> = new Map([
  ['png', 'image/png'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
]);

/** Time limit of an image operation in seconds. */
const maxImageOperationSeconds = 10;

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: ['VipsForeignLoadPng', 'VipsForeignLoadJpeg', 'VipsForeignLoadNsgif', 'VipsForeignLoadWebp'],
});
// Each operation uses one thread only, because the service has other work to do.
sharp.concurrency(1);
sharp.cache(false);

/**
 * Reads the properties of images and creates scaled versions of images. Each process runs at most two operations
 * concurrently.
 */
export class ImageProcessor {
  readonly #queue: ImageOperationQueue;
  readonly #maxPixels: number;
  readonly #maxFrames: number;

  constructor(config: {
    readonly IMAGE_MAX_PIXELS: number;
    readonly IMAGE_MAX_FRAMES: number;
    readonly IMAGE_QUEUE: number;
  }) {
    this.#queue = new ImageOperationQueue(config.IMAGE_QUEUE);
    this.#maxPixels = config.IMAGE_MAX_PIXELS;
    this.#maxFrames = config.IMAGE_MAX_FRAMES;
  }

  /**
   * Returns the properties of an image, or null for other files and for images that are too large.
   * @throws ApplicationError SERVICE_UNAVAILABLE if too many operations are waiting; all other methods also throw this
   * error
   */
  readPictureInfo(source: ImageBytesOrReader): Promise<PictureInfo | null> {
    return this.#process(source, async (file) => {
      const { format, width, height, pages = 1, autoOrient } = await this.#open(file).metadata();
      const contentType = imageContentTypes.get(format);
      if (contentType === undefined || width * height > this.#maxPixels) return null;
      const isTooLong = pages > this.#maxFrames || pages * width * height > this.#maxPixels;
      const { width: shownWidth, height: shownHeight } = autoOrient;
      return { width: shownWidth, height: shownHeight, contentType, isAnimated: pages > 1, isTooLong };
    });
  }

  /**
   * Returns a still WebP version of an image that fits into the given bounds and is not larger than the original.
   * Returns null if the file is not an image.
   */
  scaleToFitAsWebp(source: ImageBytesOrReader, frame: MaxImageDimensions): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      renderImageWithTimeout(
        this.#open(file)
          .autoOrient()
          .resize({ ...frame, fit: 'inside', withoutEnlargement: true })
          .webp(),
      ),
    );
  }

  /**
   * Returns a still PNG version of an image that fits into the given bounds and is not larger than the original.
   * Returns null if the file is not an image.
   */
  scaleToFitAsPng(source: ImageBytesOrReader, frame: MaxImageDimensions): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      renderImageWithTimeout(
        this.#open(file)
          .autoOrient()
          .resize({ ...frame, fit: 'inside', withoutEnlargement: true })
          .png(),
      ),
    );
  }

  /** Returns the center of an image as a square PNG of `pixels` width, or null if the file is not an image. */
  cropToSquarePng(source: ImageBytesOrReader, pixels: number): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      renderImageWithTimeout(
        this.#open(file).autoOrient().resize({ width: pixels, height: pixels, fit: 'cover' }).png(),
      ),
    );
  }

  /**
   * Returns a square PNG that shows the whole image on a transparent background, or null if the file is not an image.
   */
  padToSquarePng(source: ImageBytesOrReader, pixels: number): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      renderImageWithTimeout(this.#open(file).autoOrient().resize(createTransparentPaddingOptions(pixels)).png()),
    );
  }

  /**
   * Returns a square GIF that shows the whole animation on a transparent background, or null if the file is not an
   * image.
   */
  padToSquareGif(source: ImageBytesOrReader, pixels: number): Promise<Buffer | null> {
    return this.#process(source, (file) =>
      renderImageWithTimeout(this.#open(file, true).resize(createTransparentPaddingOptions(pixels)).gif()),
    );
  }

  #open(file: Buffer, animated = false): Sharp {
    return sharp(file, { animated, limitInputPixels: this.#maxPixels, failOn: 'error' });
  }

  #process<T>(source: ImageBytesOrReader, operation: (file: Buffer) => Promise<T>): Promise<T | null> {
    return this.#queue.runImageOperation(async () => {
      const file = typeof source === 'function' ? await source() : source;
      if (file === null) return null;
      try {
        return await operation(file);
      } catch {
        // Any error of the library means that the file is not a usable image.
        return null;
      }
    });
  }
}

function createTransparentPaddingOptions(pixels: number) {
  return { width: pixels, height: pixels, fit: 'contain', background: { r: 0, g: 0, b: 0, alpha: 0 } } as const;
}

function renderImageWithTimeout(image: Sharp): Promise<Buffer> {
  return image.timeout({ seconds: maxImageOperationSeconds }).toBuffer();
}
