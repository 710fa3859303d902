import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { UploadedFilesController } from './files.controller.js';
import { createUploadedFileProviders } from './file-service-providers.js';
import { ThumbnailStatusController } from './thumbnail-status.controller.js';
import { FileUploadsController } from './uploads.controller.js';

/** Feature module (slice) of uploads. The module declares endpoints. */
export const uploadsFeatureModule = defineFeatureModule('uploads', {
  controllers: [UploadedFilesController, ThumbnailStatusController, FileUploadsController],
  providers: createUploadedFileProviders,
});
