export { openConfiguredFileStorage, type OpenedFileStorage } from './create-storage.js';
export { incompleteFilesFolder } from './disk-storage.js';
export { StoredFileDeletionSchedule } from './stored-file-ledger.js';
export {
  type ByteRange,
  type FileStorage,
  yieldBufferAsChunk,
  createPublicPictureKey,
  readStoredFile,
} from './file-storage.js';
export { startPeriodicUnusedFileCleanup } from './unused-file-sweep.js';
