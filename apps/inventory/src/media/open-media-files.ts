import type { Clock } from '@switchboard/platform';
import { openConfiguredS3Bucket } from '@switchboard/s3';
import type { InventoryConfig } from '../config.js';
import { MediaBucket } from './media-bucket.js';
import { MediaFolder } from './media-file-folder.js';
import type { MediaLogger } from './media-files.js';

/** Opens the configured storage of uploaded pictures: an S3 bucket if configured, otherwise a folder. */
export function openMediaFiles(
  config: InventoryConfig,
  dependencies: { readonly clock: Pick<Clock, 'now'>; readonly logger: MediaLogger },
): MediaFolder | MediaBucket {
  const bucket = openConfiguredS3Bucket(config, () => dependencies.clock.now());
  return bucket === null
    ? new MediaFolder(config.MEDIA_ROOT, dependencies.logger)
    : new MediaBucket(bucket, dependencies.logger);
}
