export { createStorage, openBucket, type OpenedStorage } from './create-storage.js';
export { FileLedger } from './file-ledger.js';
export { type ByteRange, type FileStorage, toChunks, publicPictureKey, readStoredFile } from './file-storage.js';
export { startFileSweep } from './file-sweep.js';
