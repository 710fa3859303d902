import { OutboundError } from '@switchboard/outbound';
import { S3Error } from '@switchboard/s3';
import { SyncError } from './data-source-sync-error.js';

/** Converts the failure of a request to a data source to a {@link SyncError}. Returns other errors unchanged. */
export function convertRemoteToSyncError(error: unknown): unknown {
  const isRemote = error instanceof OutboundError || error instanceof S3Error;
  return isRemote ? new SyncError(`The data source cannot be read: ${error.message}`, { cause: error }) : error;
}
