export { attachmentsFeatureModule } from './attachments.slice.js';
export { attachmentAddEvent } from './attachments.events.js';
export {
  addAttachment,
  addToRealmUploadSize,
  getRealmUploadSizeBytes,
  type NewAttachment,
} from './attachments.repository.js';
export { AttachmentsService } from './attachments.action.js';
export { removeUnusedAttachments } from './remove-unused-attachments.js';
export {
  listAttachmentStorageKeys,
  messageThumbnailSize,
  getThumbnailStorageKey,
  createUploadFolderSql,
  getUploadStorageKey,
} from './upload-storage-keys.js';
export { emitChangedAttachments } from './emit-attachments.js';
export { type WireAttachment, wireAttachmentSchema } from './wire-attachment.js';
