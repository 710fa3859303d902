import type { Clock } from '@switchboard/platform';
import { S3Bucket } from '@switchboard/s3';
import type { ChatConfig } from '../../config.js';
import { DiskStorage } from './disk-storage.js';
import type { FileStorage } from './file-storage.js';

/** The configured file storage, and a function that closes it. */
export interface OpenedStorage {
  readonly storage: FileStorage;
  close(): Promise<void>;
}

/** Opens the configured file storage: an S3 bucket, or else a folder. */
export function createStorage(config: ChatConfig, clock: Clock): OpenedStorage {
  if (config.S3_BUCKET === undefined) {
    return { storage: new DiskStorage(config.UPLOADS_DIR), close: async () => {} };
  }
  const bucket = new S3Bucket({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    now: () => clock.now(),
  });
  return { storage: bucket, close: () => bucket.close() };
}
