import type { Clock } from '@switchboard/platform';
import { S3Bucket } from '@switchboard/s3';
import type { ChatConfig } from '../../config.js';
import { DiskStorage } from './disk-storage.js';
import type { FileStorage } from './file-storage.js';

/** The opened file storage, and a function that closes the file storage. */
export interface OpenedFileStorage {
  readonly storage: FileStorage;
  close(): Promise<void>;
}

/** Opens the configured file storage: an S3 bucket if configured, otherwise a folder. */
export function openConfiguredFileStorage(config: ChatConfig, clock: Clock): OpenedFileStorage {
  const bucket = openConfiguredS3Bucket(config, clock);
  if (bucket === null) return { storage: new DiskStorage(config.UPLOADS_DIR), close: async () => {} };
  return { storage: bucket, close: () => bucket.close() };
}

/** Returns the client of the configured S3 bucket, or null if files are stored in a folder. */
export function openConfiguredS3Bucket(config: ChatConfig, clock: Clock): S3Bucket | null {
  if (config.S3_BUCKET === undefined) return null;
  return new S3Bucket({
    endpoint: config.S3_ENDPOINT,
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
    now: () => clock.now(),
  });
}
