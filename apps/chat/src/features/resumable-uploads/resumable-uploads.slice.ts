import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { HandleTusRequest } from './handle-tus-request.js';
import { ResumableUploads } from './resumable-uploads.action.js';
import { ResumableUploadsController } from './resumable-uploads.controller.js';
import { createResumableUploadJobs } from './resumable-uploads.jobs.js';
import { resumableUploadEnvironmentVariables } from './settings.js';

/** Feature module (slice) of resumable uploads. The module declares endpoints, jobs and environment variables. */
export const resumableUploadsFeatureModule = defineFeatureModule('resumable-uploads', {
  controllers: [ResumableUploadsController],
  providers: [HandleTusRequest, ResumableUploads],
  jobs: createResumableUploadJobs,
  configuration: resumableUploadEnvironmentVariables,
});
