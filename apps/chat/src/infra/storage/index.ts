export { createStorage, openBucket, type OpenedStorage } from './create-storage.js';
export { StoredFileLedger } from './stored-file-ledger.js';
export {
  type ByteRange,
  type FileStorage,
  toStreamChunks,
  createPublicPictureKey,
  readStoredFile,
} from './file-storage.js';
export { startFileSweep } from './unused-file-sweep.js';
