import { defineSlice } from '../../events/define-feature-slice.js';
import { HandleTusRequest } from './handle-tus-request.js';
import { ResumableUploads } from './resumable-uploads.action.js';
import { ResumableUploadsController } from './resumable-uploads.controller.js';
import { resumableUploadJobs } from './resumable-uploads.jobs.js';
import { resumableUploadEnv } from './settings.js';

/** Feature module (slice) of resumable uploads. The module declares endpoints, jobs and environment variables. */
export const resumableUploadsSlice = defineSlice('resumable-uploads', {
  controllers: [ResumableUploadsController],
  providers: [HandleTusRequest, ResumableUploads],
  jobs: resumableUploadJobs,
  configuration: resumableUploadEnv,
});
