import type { Clock } from '@switchboard/platform';
import { openConfiguredS3Bucket } from '@switchboard/s3';
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
  const bucket = openConfiguredS3Bucket(config, () => clock.now());
  if (bucket === null) return { storage: new DiskStorage(config.UPLOADS_DIR), close: async () => {} };
  return { storage: bucket, close: () => bucket.close() };
}
