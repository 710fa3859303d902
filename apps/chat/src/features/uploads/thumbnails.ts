import { Inject, Injectable } from '@nestjs/common';
import { requestContextStorage } from '@switchboard/platform';
import type { ImageProcessor } from '../../infra/images/process-images.js';
import { type FileStorage, yieldBufferAsChunk, readStoredFile } from '../../infra/storage/index.js';
import { FILE_STORAGE_TOKEN, IMAGE_PROCESSOR_TOKEN } from '../../tokens.js';
import { messageThumbnailSize, getThumbnailStorageKey, getUploadStorageKey } from '../../core/attachments/index.js';

const thumbnailContentType = 'image/webp';

/** Creates and stores the thumbnail of an uploaded image when a client first requests the thumbnail. */
@Injectable()
export class ThumbnailService {
  /** Thumbnails that this process is currently creating. Concurrent requests for one thumbnail share the promise. */
  readonly #making = new Map<string, Promise<Buffer | null>>();

  constructor(
    @Inject(FILE_STORAGE_TOKEN) private readonly storage: FileStorage,
    @Inject(IMAGE_PROCESSOR_TOKEN) private readonly pictures: ImageProcessor,
  ) {}

  /**
   * Returns the thumbnail of an uploaded image in WebP format. Returns null if the image or the requested size does not
   * exist.
   */
  async getOrCreateThumbnail(pathId: string, name: string): Promise<Buffer | null> {
    if (name !== messageThumbnailSize.name) return null;
    const key = getThumbnailStorageKey(pathId, name);
    const kept = await readStoredFile(this.storage, key);
    if (kept !== null) return kept;
    const making = this.#making.get(key) ?? this.#make(pathId, key).finally(() => this.#making.delete(key));
    this.#making.set(key, making);
    return making;
  }

  async #make(pathId: string, key: string): Promise<Buffer | null> {
    const original = () => readStoredFile(this.storage, getUploadStorageKey(pathId));
    const made = await this.pictures.scaleToFitAsWebp(original, messageThumbnailSize);
    if (made !== null) await this.#storeThumbnail(key, made);
    return made;
  }

  /**
   * Stores a thumbnail for later requests. Storage errors are only logged, because the current request already has the
   * thumbnail.
   */
  async #storeThumbnail(key: string, made: Buffer): Promise<void> {
    try {
      await this.storage.write(key, yieldBufferAsChunk(made), thumbnailContentType);
    } catch (err) {
      requestContextStorage.getStore()?.log.warn({ err, key }, 'a thumbnail could not be stored');
    }
  }
}
