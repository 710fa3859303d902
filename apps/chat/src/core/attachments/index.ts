export { attachmentsSlice } from './attachments.slice.js';
export { attachmentAddEvent } from './attachments.events.js';
export { addAttachment, changeUploadTotal, getUploadTotal, type NewAttachment } from './attachments.repository.js';
export { AttachmentsService } from './attachments.action.js';
export { removeUnusedAttachments } from './remove-unused-attachments.js';
export { attachmentKeys, messageThumbnail, thumbnailKey, uploadKey } from './upload-storage-keys.js';
export { emitAttachments } from './emit-attachments.js';
export { type WireAttachment, wireAttachment } from './wire-attachment.js';
