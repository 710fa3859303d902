import { defineSlice } from '../../events/define-feature-slice.js';
import { FilesController } from './files.controller.js';
import { fileProviders } from './file-service-providers.js';
import { ThumbnailStatusController } from './thumbnail-status.controller.js';
import { UploadsController } from './uploads.controller.js';

/** Feature module (slice) of uploads. The module declares endpoints. */
export const uploadsSlice = defineSlice('uploads', {
  controllers: [FilesController, ThumbnailStatusController, UploadsController],
  providers: fileProviders,
});
